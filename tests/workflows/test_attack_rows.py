"""Which test stands for which row of the list of hostile and broken inputs, and with which message.

Rows that a pull request can bring are in `attacks.py` as well; here are all of them, with those of the site, the
workflows and the API.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflows.attacks import ATTACKS, ELSEWHERE
from tests.workflows.steps import ROOT

INPUT = "tests/workflows/test_attacks.py::test_an_input_is_refused_in_plain_words_or_accepted_as_documented"
PATH = "tests/workflows/test_attacks.py::test_a_path_that_is_not_the_contributors_is_refused"
NOTHING = "tests/workflows/test_attacks.py::test_nothing_is_executed_or_left_behind"
PULL, POLICY = "tests/workflows/test_pull_request.py", "tests/workflows/test_policy.py"
HOSTILE = f"{PULL}::test_a_hostile_change_is_said_plainly_and_nothing_of_it_acts"
RECORD, PUBLISH = "tests/workflows/test_reconcile.py", "tests/workflows/test_publish.py"
FORGED = f"{RECORD}::test_a_forged_artifact_is_refused_whole_and_says_no_value"
PRIVATE, LEAKS = "tests/workflows/test_private.py", "tests/workflows/test_leaks.py"
NAMES, FILES = "tests/intake/test_names_and_links.py", "tests/intake/test_prediction_files.py"
YAML, CARD = "tests/intake/test_yaml_guard.py", "tests/intake/test_submission_card.py"
CHECK, MAIN = "tests/intake/test_check.py", "tests/workflows/test_broken_main.py"
SITE, DATA, FEEDS = "tests/cases/test_c.py", "tests/exports/test_data_v1.py", "tests/exports/test_feeds.py"
CITING = "tests/snapshots/test_citing.py"

ROWS: dict[int, tuple[str, tuple[str, ...]]] = {
    # row: (words of the message, which stand in a test named here; tests)
    2: (
        "is not a submission path",
        (
            f"{PATH}[.github/workflows/score.yml]",
            f"{HOSTILE}[workflow]",
            f"{POLICY}::test_a_pull_request_is_never_checked_out_by_a_job_that_reads_results",
            f"{POLICY}::test_every_folder_that_has_power_has_an_owner_to_ask",
            "tests/workflows/test_end_to_end.py::test_a_hostile_fork_stops_at_validation_and_leaves_no_trace",
        ),
    ),
    4: (
        "a\\n::add-mask::a",
        (
            f"{INPUT}[r04-path]",
            f"{HOSTILE}[line break in a path]",
            f"{PULL}::test_annotations_escape_what_a_path_could_inject",
        ),
    ),
    6: (
        "mode 120000 (symbolic link)",
        (
            f"{INPUT}[r06-passwd]",
            f"{INPUT}[r06-rival]",
            f"{PULL}::test_a_link_is_never_followed",
            f"{CHECK}::test_a_link_to_another_file_is_refused_and_not_read",
        ),
    ),
    8: (
        "mode 160000 (link to another repository)",
        (f"{INPUT}[r08-gitlink]", f"{INPUT}[r08-gitlink-predictions]", f"{PATH}[.gitmodules]", NOTHING),
    ),
    9: ("git update-index --chmod=-x", (f"{INPUT}[r09-executable]", f"{HOSTILE}[executable]")),
    10: (
        "does not belong",
        (
            f"{INPUT}[r10-attributes]",
            *(f"{PATH}[{name}]" for name in (".gitattributes", ".mailmap", ".lfsconfig")),
            NOTHING,
            f"{PULL}::test_hooks_filters_and_settings_of_a_checkout_do_not_act",
        ),
    ),
    11: ("is a Git LFS pointer, not the file", (f"{INPUT}[r11-lfs]", f"{HOSTILE}[lfs pointer]")),
    12: (
        "over the limit (16 MiB): 24.4 MiB",
        (
            f"{PULL}::test_a_file_over_the_cap_is_refused_without_being_downloaded",
            f"{PULL}::test_a_packed_file_has_its_own_cap",
            f"{PULL}::test_a_commit_in_between_cannot_smuggle_in_a_large_file",
        ),
    ),
    15: (
        "'con' is a reserved name",
        (
            *(f"{PATH}[results/submissions/{name}/submission.yaml]" for name in ("con", "aux", "a.")),
            f"{HOSTILE}[slug 200]",
            f"{PULL}::test_a_path_that_no_folder_can_have_is_refused_while_it_comes_in",
            f"{NAMES}::test_an_id_that_some_system_or_page_cannot_have_is_refused",
            f"{CHECK}::test_new_refuses_a_bad_id",
        ),
    ),
    18: (
        "not yours: owner is @rita",
        (
            f"{PATH}[results/submissions/rival/predictions/demo-cxr.jsonl]",
            f"{PATH}[results/submissions/rival/submission.yaml]",
            f"{HOSTILE}[deletes another's]",
            f"{PULL}::test_the_owner_may_change_the_entry_and_only_the_owner",
        ),
    ),
    19: (
        "score files are written by the scorer only",
        (
            f"{INPUT}[r19-scores]",
            f"{PATH}[results/scores/zed/iu-xray.findings.json]",
            f"{PULL}::test_a_maintainer_may_touch_other_paths_and_score_files_stay_the_scorers",
            f"{PRIVATE}::test_a_signed_record_of_a_closed_dataset_passes_the_gate_and_an_edited_one_does_not",
        ),
    ),
    21: (
        "is a Python pickle",
        (
            *(
                f"{INPUT}[r21-{kind}]"
                for kind in ("zip", "xz", "bz2", "zstd", "parquet", "pickle", "old-pickle")
            ),
            NOTHING,
            f"{FILES}::test_a_pickle_is_never_loaded",
            f"{FILES}::test_unpacking_stops_at_the_cap_and_not_at_the_end_of_memory",
        ),
    ),
    22: (
        "over the limit (64 KiB)",
        (
            f"{INPUT}[r22-megabyte]",
            f"{INPUT}[r22-anchors]",
            f"{YAML}::test_hostile_yaml_is_refused_with_its_line",
        ),
    ),
    23: (
        "deeper than 8",
        (f"{INPUT}[r23-deep]", f"{INPUT}[r23-deep-value]", f"{YAML}::test_hostile_yaml_is"),
    ),
    25: (
        "tags (!) are not allowed",
        (
            *(f"{INPUT}[r25-{kind}]" for kind in ("object", "getcwd", "include", "binary", "version", "tag")),
            NOTHING,
        ),
    ),
    27: (
        "one mapping expected",
        tuple(f"{INPUT}[r27-{kind}]" for kind in ("two", "empty", "list", "string")),
    ),
    28: (
        "UTF-8 without a byte order mark",
        (
            *(f"{INPUT}[r28-{kind}]" for kind in ("utf-16", "mark", "latin", "nul", "surrogate", "crlf")),
            *(f"{INPUT}[r28-{kind}]" for kind in ("utf-16-texts", "mark-texts", "crlf-texts", "latin-text")),
            f"{INPUT}[r28-surrogate-text]",
            f"{YAML}::test_crlf_is_read_like_lf",
            f"{FILES}::test_accepted_forms_of_one_content_have_one_digest",
        ),
    ),
    29: (
        "is not in the calendar",
        (
            *(
                f"{INPUT}[r29-{kind}]"
                for kind in ("calendar", "hex", "digits", "infinite", "exponent", "zero")
            ),
            *(
                f"{INPUT}[r29-{kind}]"
                for kind in ("underscore", "sexagesimal", "yes", "tilde", "no-as-licence")
            ),
            f"{YAML}::test_scalars_stay_the_text_that_was_written",
            f"{CARD}::test_a_wrong_field_is_named_with_its_line",
        ),
    ),
    31: (
        "U+202E",
        (
            *(
                f"{INPUT}[r31-{kind}]"
                for kind in ("override", "zero-width", "isolate", "mark", "pile", "pile-200")
            ),
            f"{INPUT}[r31-joiner]",
            f"{NAMES}::test_a_name_that_could_deceive_is_refused_with_its_code_points",
        ),
    ),
    32: (
        "can be taken for the existing entry 'rival'",
        (
            f"{INPUT}[r32-cyrillic]",
            f"{INPUT}[r32-whole]",
            f"{HOSTILE}[look-alike]",
            f"{NAMES}::test_names_that_look_alike_have_one_skeleton",
        ),
    ),
    33: (
        "holds < or >",
        (
            *(f"{INPUT}[r33-{kind}]" for kind in ("svg", "script", "attribute", "quotes")),
            f"{SITE}::test_markup_in_names_is_text_on_every_page_and_a_script_link_is_left_out",
            f"{SITE}::test_markup_in_names_never_runs_in_a_browser",
            f"{FEEDS}::test_hostile_texts_leave_both_feeds_valid",
            f"{FEEDS}::test_no_text_can_end_the_data_block",
        ),
    ),
    37: (
        "neither an arXiv id nor a DOI",
        (
            *(f"{INPUT}[r37-{kind}]" for kind in ("doi", "arxiv", "bibtex", "csl")),
            f"{NAMES}::test_what_is_neither_arxiv_id_nor_doi_is_refused",
            f"{CITING}::test_hostile_names_stay_inside_their_bibtex_field",
        ),
    ),
    38: (
        "=HYPERLINK",
        (
            *(f"{INPUT}[r38-{kind}]" for kind in ("formula", "tab", "return")),
            f"{DATA}::test_hostile_texts_are_guarded_in_csv_and_unchanged_in_json",
            f"{NAMES}::test_a_cell_that_a_spreadsheet_would_run_is_quoted",
        ),
    ),
    40: (
        "200 references but 199 predictions",
        (
            *(
                f"{INPUT}[r40-{kind}]"
                for kind in ("wrong", "missing", "extra", "many", "twice", "number", "blank")
            ),
            f"{INPUT}[r40-shuffled]",
            f"{FILES}::test_accepted_forms_of_one_content_have_one_digest",
            "tests/intake/test_pairing.py::test_ids_of_a_closed_dataset_are_never_named",
        ),
    ),
    41: (
        "a number where a text is expected",
        (
            *(
                f"{INPUT}[r41-{kind}]"
                for kind in ("empty", "blank", "marks", "null", "number", "list", "megabyte")
            ),
            f"{INPUT}[r41-tokens]",
            "tests/workflows/test_odd_texts.py::test_every_odd_text_that_is_accepted_is_scored_by_every_metric_without_weights",
        ),
    ),
    43: (
        "holds control characters",
        (
            f"{INPUT}[r43-escapes]",
            f"{INPUT}[r43-escaped-id]",
            "tests/workflows/test_attacks.py::test_nothing_untrusted_reaches_a_terminal_or_a_summary_unescaped",
            f"{CHECK}::test_a_path_that_would_act_on_a_terminal_is_escaped",
        ),
    ),
    44: (
        "NaN is not JSON",
        (
            *(
                f"{INPUT}[r44-{kind}]"
                for kind in ("nan", "exponent", "twice", "deep", "comma", "comment", "cut")
            ),
            f"{INPUT}[r44-blank-lines]",
            f"{INPUT}[r44-no-last-end]",
            f"{INPUT}[r28-mark-texts]",
        ),
    ),
    45: (
        "predictions are word for word the reference",
        (
            f"{INPUT}[r45-copied]",
            f"{INPUT}[r45-constant]",
            f"{CHECK}::test_empty_repeated_and_copied_predictions_are_told_to_the_reviewer",
            f"{PRIVATE}::test_a_refused_set_gets_no_record_and_a_public_reason",
        ),
    ),
    46: (
        "One scoring per owner",
        (
            f"{INPUT}[r46-probe]",
            f"{PRIVATE}::test_a_gate_stops_what_would_probe_the_references[one real and the rest empty]",
            f"{PRIVATE}::test_one_plan_cannot_overdraw_and_thirty_accounts_meet_the_daily_limit",
            f"{PRIVATE}::test_one_private_scoring_per_owner_and_period_counted_from_history",
        ),
    ),
    47: (
        "time grows",
        (
            *(f"{INPUT}[r47-{kind}]" for kind in ("blanks", "letters", "nested")),
            f"{CHECK}::test_time_grows_with_the_size_and_no_faster",
            "tests/workflows/test_odd_texts.py::test_the_time_of_scoring_grows_with_the_size_of_a_text_and_no_faster",
        ),
    ),
    49: (
        "not in the form",
        (
            *(
                f"{FORGED}[{kind}]"
                for kind in ("extra key at the top", "number as text", "other slug", "path in a slug")
            ),
            f"{FORGED}[other predictions]",
            f"{RECORD}::test_bytes_that_are_no_artifact_are_refused[NaN]",
            f"{RECORD}::test_an_artifact_of_100_mb_is_refused_before_it_is_parsed",
            f"{RECORD}::test_a_number_that_nothing_bears_out_is_named_by_its_metric",
        ),
    ),
    51: (
        "pushed instead",
        (
            f"{PUBLISH}::test_when_the_api_stays_away_the_scores_are_recorded_all_the_same",
            f"{PUBLISH}::test_a_short_failure_is_ridden_out",
            f"{PUBLISH}::test_a_pull_request_that_somebody_closed_is_opened_again_once",
            f"{PUBLISH}::test_where_two_of_the_bots_pull_requests_are_open_no_third_comes",
        ),
    ),
    52: (
        "nothing is lost",
        (
            f"{PUBLISH}::test_two_pushes_that_race_both_end_on_main",
            f"{PUBLISH}::test_after_five_lost_races_it_says_so_and_nothing_is_lost",
        ),
    ),
    53: (
        "needs an update",
        (f"{MAIN}::test_an_old_card_and_an_edited_record_take_nothing_else_down_and_are_marked",),
    ),
    54: (
        "unverified: the number is not what its per-study table gives",
        (
            f"{MAIN}::test_an_old_card_and_an_edited_record_take_nothing_else_down_and_are_marked",
            f"{MAIN}::test_an_edited_number_ranks_with_nothing_and_its_neighbours_are_as_before",
            f"{MAIN}::test_a_number_of_a_closed_dataset_that_cannot_be_is_marked_without_any_table",
            "tests/line/test_boards.py::test_an_edited_table_is_unverified_and_its_numbers_are_ranked_with_nothing",
            f"{POLICY}::test_the_site_is_built_only_from_records_that_their_tables_bear_out",
        ),
    ),
}


@pytest.fixture(scope="module")
def collected() -> list[str]:
    """Every test of the files that the table names."""
    files = sorted({test.partition("::")[0] for _, tests in ROWS.values() for test in tests})
    line = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-m",
        "",
        "-p",
        "no:cacheprovider",
        *files,
    ]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("row", ROWS)
def test_every_test_of_a_row_is_there_and_one_of_them_holds_its_message(
    row: int, collected: list[str]
) -> None:
    words, tests = ROWS[row]
    lacking = [test for test in tests if not any(one.startswith(test) for one in collected)]
    assert lacking == []
    sources = {Path(test.partition("::")[0]) for test in tests} | {Path("tests/workflows/attacks.py")}
    texts = [(ROOT / source).read_text("utf-8").replace("\\\\", "\\").lower() for source in sorted(sources)]
    assert any(words.lower() in text.replace("_", " ") or words.lower() in text for text in texts), words


def test_no_row_of_the_list_is_left_out(shared: Path) -> None:
    listed = (shared / "reference" / "attacks.md").read_text("utf-8")
    rows = {int(number) for number in re.findall(r"^\| (\d+) \|", listed, re.MULTILINE)}
    assert len(rows) > 30
    assert rows == set(ROWS)


def test_every_input_of_the_pull_request_belongs_to_a_row() -> None:
    assert {attack.row for attack in ATTACKS} | {row for row, _, _ in ELSEWHERE.values()} <= set(ROWS)
