"""The kinds of facts in the demo reports and how they are said. Every sentence was written for this project.

Two registers: `full` sentences and `terse` ones. Slots: {side} left/right/bilateral, {onside} "on the left",
{size}, {a_size} with its article, {place}, {object} and {bare} (with and without article), {is}, {base}, {basilar}.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FACTS", "Wording"]


@dataclass(frozen=True)
class Wording:
    """How a kind of fact is said.

    Attributes:
        system: where it stands in the findings. full, terse: findings sentences.
        impression: clauses without a full stop; empty when not worth one.
        is_chronic: not an acute abnormality.
    """

    system: str
    full: tuple[str, ...]
    terse: tuple[str, ...]
    impression: tuple[str, ...] = ()
    is_chronic: bool = False


FACTS: dict[str, Wording] = {
    "endotracheal tube": Wording(
        "devices",
        (
            "An endotracheal tube ends {size} above the carina.",
            "The tip of the endotracheal tube lies {size} proximal to the carina.",
            "The patient is intubated, with the tube tip {size} above the carina.",
        ),
        ("ETT {size} above carina.", "Endotracheal tube tip {size} from carina."),
    ),
    "enteric tube": Wording(
        "devices",
        (
            "An enteric tube passes below the diaphragm and leaves the image.",
            "The feeding tube crosses the diaphragm; its end is not included.",
            "An enteric tube is coiled in the stomach.",
        ),
        ("Enteric tube in stomach.", "Enteric tube below diaphragm."),
    ),
    "central line": Wording(
        "devices",
        (
            "A {side} internal jugular catheter ends in the {place}.",
            "The {side} jugular line reaches the {place}.",
            "A {side} central venous catheter has its tip in the {place}.",
        ),
        ("{side} IJ line, tip {place}.", "{side} central line ends in {place}."),
    ),
    "PICC": Wording(
        "devices",
        (
            "A {side} arm PICC ends at the {place}.",
            "The tip of the {side} PICC projects over the {place}.",
        ),
        ("{side} PICC, tip {place}.",),
    ),
    "pacemaker": Wording(
        "devices",
        (
            "A {side} chest pacemaker has two leads that end in the expected places.",
            "Leads of a {side}-sided pacemaker run to the right atrium and ventricle.",
            "The {side} pectoral pacemaker and its leads look intact.",
        ),
        ("{side} dual-lead pacemaker.", "Pacemaker on the {side}, leads intact."),
        ("{side} pacemaker with leads in place",),
        True,
    ),
    "sternotomy": Wording(
        "devices",
        (
            "Sternal wires are aligned and unbroken.",
            "The patient has had a sternotomy, and surgical clips lie along the heart.",
            "Wires of an earlier sternotomy are in line.",
        ),
        ("Sternal wires intact.", "Previous sternotomy."),
        is_chronic=True,
    ),
    "chest tube": Wording(
        "devices",
        (
            "A {side} chest tube ends near the {place}.",
            "The {side} pleural drain is directed to the {place}.",
        ),
        ("{side} chest tube at {place}.",),
        ("{side} chest tube in place",),
    ),
    "port": Wording(
        "devices",
        (
            "A {side} chest port is present with its tip in the {place}.",
            "The catheter of the {side} port ends in the {place}.",
        ),
        ("{side} port, tip {place}.",),
        is_chronic=True,
    ),
    "cardiomegaly": Wording(
        "heart",
        (
            "The cardiac silhouette is {size}ly enlarged.",
            "There is {size} enlargement of the heart.",
            "Heart size is {size}ly increased.",
            "The heart is {size}ly enlarged, even for this projection.",
        ),
        ("Heart {size}ly enlarged.", "{size} cardiomegaly."),
        ("{size} cardiomegaly", "{size}ly enlarged heart", "{size} cardiac enlargement"),
    ),
    "aorta": Wording(
        "heart",
        (
            "The thoracic aorta is tortuous, with calcium in its arch.",
            "The aorta is unfolded and calcified.",
            "There is a tortuous aorta with mural calcification.",
        ),
        ("Tortuous calcified aorta.", "Aorta unfolded."),
        ("atherosclerotic aorta",),
        True,
    ),
    "hiatal hernia": Wording(
        "heart",
        (
            "A gas-filled density behind the heart is typical of a {size} hiatal hernia.",
            "There is a {size} hiatal hernia with a fluid level.",
            "Retrocardiac lucency reflects a {size} hiatal hernia.",
        ),
        ("{size} hiatal hernia.",),
        ("{size} hiatal hernia",),
        True,
    ),
    "edema": Wording(
        "lungs",
        (
            "Perihilar haze and septal lines are in keeping with {size} edema.",
            "The vessels are indistinct, a pattern of {size} pulmonary edema.",
            "There is {size} edema with redistribution to the upper zones.",
        ),
        ("{size} edema.", "Congested vessels, {size} edema."),
        (
            "{size} pulmonary edema",
            "congestion with {size} edema",
            "findings of {size} edema, likely cardiac",
        ),
    ),
    "consolidation": Wording(
        "lungs",
        (
            "There is airspace consolidation in the {side} {place}.",
            "Dense opacity with air bronchograms fills part of the {side} {place}.",
            "A confluent opacity is seen in the {side} {place}.",
            "The {side} {place} shows an area of consolidation.",
        ),
        ("{side} {place} consolidation.", "Airspace opacity {side} {place}."),
        (
            "{side} {place} pneumonia",
            "consolidation of the {side} {place}, in keeping with pneumonia",
            "{side} {place} pneumonia; a film after treatment is advised",
        ),
    ),
    "opacity": Wording(
        "lungs",
        (
            "Patchy opacity at {base} may be atelectasis; early pneumonia is not excluded.",
            "Ill-defined density projects over {base}, possibly infection or aspiration.",
            "Hazy {basilar} opacity is nonspecific and could be early infection.",
        ),
        ("Hazy {basilar} opacity, ?infection.", "Possible infiltrate at {base}."),
        (
            "{basilar} opacity, atelectasis versus pneumonia",
            "possible pneumonia at {base}",
            "nonspecific {basilar} opacity; correlate with signs of infection",
        ),
    ),
    "atelectasis": Wording(
        "lungs",
        (
            "Linear {basilar} opacities are typical of subsegmental atelectasis.",
            "There is plate-like atelectasis at {base}.",
            "Streaky density at {base} is most likely atelectasis.",
        ),
        ("{basilar} atelectasis.", "Streaky {basilar} atelectasis."),
        ("{basilar} atelectasis", "subsegmental atelectasis at {base}", "mild {basilar} volume loss"),
    ),
    "nodule": Wording(
        "lungs",
        (
            "{a_size} nodule projects over the {side} {place} zone.",
            "There is {a_size} rounded density in the {side} {place} lung.",
            "In the {side} {place} zone lies {a_size} nodule without visible calcium.",
        ),
        ("{size} nodule {side} {place} zone.", "{side} {place} zone nodule, {size}."),
        (
            "{size} {side} {place} zone nodule; chest CT is advised",
            "indeterminate {side} lung nodule of {size}, CT recommended",
            "{side} {place} zone nodule of {size}",
        ),
    ),
    "mass": Wording(
        "lungs",
        (
            "A lobulated mass of {size} occupies the {side} {place} lung.",
            "There is a spiculated {size} mass in the {side} {place} zone.",
        ),
        ("{size} mass {side} {place} lung.",),
        (
            "{side} {place} lung mass of {size}, suspicious for malignancy",
            "{size} {side} lung mass; CT and tissue sampling are advised",
        ),
    ),
    "emphysema": Wording(
        "lungs",
        (
            "The lungs are overinflated, and the diaphragms are flat.",
            "Hyperinflation and sparse upper zone vessels indicate emphysema.",
            "Large lung volumes with a wide retrosternal space suggest COPD.",
        ),
        ("Hyperinflated lungs.", "Emphysema."),
        ("emphysema", "hyperinflation in keeping with COPD", "chronic obstructive changes"),
        True,
    ),
    "fibrosis": Wording(
        "lungs",
        (
            "Coarse reticular markings at both bases suggest chronic fibrosis.",
            "There is basal reticulation with reduced lung volume, as in fibrosis.",
        ),
        ("Basal reticulation.", "Fibrosis at both bases."),
        ("chronic interstitial fibrosis", "basal fibrosis"),
        True,
    ),
    "granuloma": Wording(
        "lungs",
        (
            "A calcified granuloma is present in the {side} {place} zone.",
            "There is a small calcified nodule in the {side} {place} lung, a granuloma.",
        ),
        ("Calcified granuloma {side} {place} zone.",),
        ("old granulomatous disease", "calcified granuloma on the {side}"),
        True,
    ),
    "low volumes": Wording(
        "lungs",
        (
            "Lung volumes are low, which crowds the vessels.",
            "The patient has taken a shallow breath.",
            "Inspiration is poor, and the bases are crowded.",
        ),
        ("Low lung volumes.", "Poor inspiration."),
        is_chronic=True,
    ),
    "effusion": Wording(
        "pleura",
        (
            "There {is} {object}.",
            "{object} {is} present.",
            "Blunting {onside} reflects {object}.",
            "Pleural fluid {onside} is {size} in amount.",
        ),
        ("{bare}.", "{size} pleural fluid {onside}."),
        ("{bare}", "{size} amount of pleural fluid {onside}"),
    ),
    "pneumothorax": Wording(
        "pleura",
        (
            "There is a {size} {side} pneumothorax with a rim of {place} at the apex.",
            "A pleural line at the {side} apex marks a {size} pneumothorax of {place}.",
            "A {size} pneumothorax {onside} measures {place}.",
        ),
        ("{size} {side} pneumothorax, {place}.",),
        ("{size} {side} pneumothorax", "{side} pneumothorax, {size}, without shift of the mediastinum"),
    ),
    "diaphragm": Wording(
        "pleura",
        ("The {side} hemidiaphragm is elevated.", "There is elevation of the diaphragm {onside}."),
        ("{side} hemidiaphragm high.",),
        ("elevated {side} hemidiaphragm",),
        True,
    ),
    "rib fracture": Wording(
        "bones",
        (
            "There is a minimally displaced fracture of the {side} {place} rib.",
            "A break in the cortex of the {side} {place} rib is seen laterally.",
            "The {side} {place} rib is fractured.",
        ),
        ("{side} {place} rib fracture.",),
        ("{side} {place} rib fracture", "acute fracture of the {side} {place} rib"),
    ),
    "vertebra": Wording(
        "bones",
        (
            "A mid thoracic vertebral body has lost height, of uncertain age.",
            "There is a wedge deformity in the lower thoracic spine, age unknown.",
        ),
        ("Thoracic wedge deformity, age unknown.",),
        ("thoracic compression deformity of uncertain age",),
        True,
    ),
    "spine": Wording(
        "bones",
        (
            "Degenerative change is seen along the thoracic spine.",
            "There are bridging osteophytes in the spine.",
            "The spine shows wear appropriate for age.",
        ),
        ("Degenerative spine.", "Spondylosis."),
        is_chronic=True,
    ),
    "scoliosis": Wording(
        "bones",
        ("The thoracic spine curves to the {side}.", "There is scoliosis, convex to the {side}."),
        ("Scoliosis to the {side}.",),
        ("scoliosis",),
        True,
    ),
}
