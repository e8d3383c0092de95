"""What the demo reports say beside their facts: absences, changes, summaries. All written for this project."""

from __future__ import annotations

__all__ = ["ABSENT", "CHANGE", "NOTHING_NEW", "REMARKS", "SUMMARY"]

# What is said of things that are not there: name -> (system, full, terse).
ABSENT: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "heart": (
        "heart",
        ("The heart is of normal size.", "Heart size is normal.", "The heart is not enlarged."),
        ("Heart size normal.", "Normal heart."),
    ),
    "heart and mediastinum": (
        "heart",
        (
            "The heart and the mediastinal outline are unremarkable.",
            "Cardiac and mediastinal contours are normal.",
            "Heart size is normal, and the mediastinum is not widened.",
            "The cardiomediastinal outline is unremarkable.",
        ),
        ("Heart and mediastinum normal.", "Normal cardiomediastinal outline."),
    ),
    "lungs": (
        "lungs",
        (
            "Both lungs are clear.",
            "The lungs are well expanded and free of focal opacity.",
            "The lungs are clear, without nodule or consolidation.",
            "No focal opacity is seen in either lung.",
        ),
        ("Lungs clear.", "No focal opacity."),
    ),
    "consolidation": (
        "lungs",
        (
            "No lobar consolidation is seen.",
            "There is no sign of pneumonia.",
            "There is no confluent airspace disease.",
        ),
        ("No consolidation.", "No pneumonia."),
    ),
    "edema": (
        "lungs",
        (
            "There is no edema.",
            "The pulmonary vessels are of normal caliber.",
            "No sign of congestion is seen.",
        ),
        ("No edema.", "Vessels normal."),
    ),
    "effusion and pneumothorax": (
        "pleura",
        (
            "There is no pleural effusion, and no pneumothorax is seen.",
            "Neither pleural fluid nor pneumothorax is identified.",
            "The pleural spaces are clear, without pneumothorax.",
            "There is no effusion or pneumothorax.",
        ),
        ("No effusion or pneumothorax.", "No effusion. No pneumothorax."),
    ),
    "effusion": (
        "pleura",
        ("There is no pleural fluid.", "No pleural effusion is seen.", "The costophrenic angles are sharp."),
        ("No effusion.",),
    ),
    "pneumothorax": (
        "pleura",
        ("No pneumothorax is seen.", "There is no pneumothorax.", "No apical pleural line is visible."),
        ("No pneumothorax.",),
    ),
    "bones": (
        "bones",
        (
            "The bones are intact.",
            "No acute bony lesion is seen.",
            "The visible skeleton is unremarkable.",
            "There is no displaced fracture.",
        ),
        ("Bones intact.", "No fracture."),
    ),
    "abdomen": (
        "bones",
        ("There is no free air below the diaphragm.", "The upper abdomen shows nothing unusual."),
        ("No free air.",),
    ),
}

# A sentence after a fact (full, terse) and the word before it in the impression, by change since the prior study.
CHANGE: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "unchanged": (
        (
            "This is unchanged from {prior}.",
            "There is no change since {prior}.",
            "This looks the same as on {prior}.",
        ),
        ("Unchanged.", "Stable."),
        "unchanged",
    ),
    "increased": (
        ("This has increased since {prior}.", "This is worse than on {prior}."),
        ("Increased.", "Worse than prior."),
        "increased",
    ),
    "decreased": (
        ("This has decreased since {prior}.", "This has improved compared with {prior}."),
        ("Decreased.", "Improved."),
        "improved",
    ),
}
NOTHING_NEW = (
    "Nothing has changed since {prior}.",
    "In comparison with {prior}, there is no new abnormality.",
    "The appearance is the same as on {prior}.",
)

SUMMARY: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "normal": (
        (
            "No acute disease in the chest.",
            "Normal chest radiograph.",
            "No sign of acute cardiopulmonary disease.",
            "No acute abnormality is seen.",
        ),
        ("Normal chest.", "No acute disease.", "Normal."),
    ),
    "nothing acute": (
        ("No acute abnormality.", "Nothing acute in the chest.", "No acute cardiopulmonary abnormality."),
        ("No acute disease.", "Nothing acute."),
    ),
    "devices": (
        ("Tubes and lines are in the expected places.", "Support devices as described above."),
        ("Lines in place.", "Devices as above."),
    ),
}

REMARKS = (
    "The result was called to Dr. {mark} on {mark}.",
    "Discussed with {mark} by telephone at {mark}.",
    "Message left for Dr. {mark} of the referring service.",
)
