"""Words that are Hydra's own: those that name code, new sections and several choices are refused in one line."""

import pytest
import yaml

CODE = "accepted: options that name no code; launchers and sweepers are chosen by hydra/launcher=NAME"
UNKNOWN = "unknown option of Hydra; accepted: those that --cfg hydra shows"
ONE = "accepted: the name of one choice"
REFUSED = [
    ("+hydra.callbacks.x._target_=nope.nope", CODE),
    ("+hydra.callbacks.x=5", "hydra.callbacks.x=5: accepted: nothing; no callbacks are called here"),
    ("+hydra/callbacks=log", "hydra/callbacks=log: accepted: nothing"),
    ("hydra.sweeper._target_=os.system", CODE),
    ("hydra.launcher={_target_:os.system}", CODE),
    ("+hydra.job_logging.x._target_=os.system", CODE),
    ("+hydra.run._partial_=true", CODE),
    ("+hydra.new=1", f"hydra.new: {UNKNOWN}"),
    ("++hydra.run.new=1", f"hydra.run.new: {UNKNOWN}"),
    ("hydra.overrides.task=[seed=1]", f"hydra.overrides.task: {UNKNOWN}"),
    ("+hydra.sweeper.params.seed=[1,2]", "hydra.sweeper.params.seed=[1,2]: accepted: nothing; options of a sweep"),
    ("hydra.launcher=null", "hydra.launcher=null: accepted: options below it"),
    ("hydra.sweeper.max_batch_size=0", "hydra.sweeper.max_batch_size=0: accepted: a whole number from 1, or null"),
    ("hydra.job.env_copy=[NO_SUCH_VARIABLE]", "hydra.job.env_copy=[NO_SUCH_VARIABLE]: accepted: a list of variables"),
    ("+hydra.job.env_set.X={a:1}", "hydra.job.env_set.X: Cannot convert 'dict' to string"),
    ("+hydra.job.env_set.X=${nope}", "hydra.job.env_set.X: Interpolation key 'nope' not found"),
    ("hydra.job.env_set=${oc.env:NO_SUCH_VARIABLE}", "hydra.job.env_set: KeyError raised while resolving"),
    ("algorithm.population=glob(*)", "algorithm.population=glob(*): accepted: at least one value"),
    ("hydra.searchpath=[/nowhere]", "hydra.searchpath=[/nowhere]: accepted: a list of folders; /nowhere is none"),
    ("hydra.searchpath=[pkg://os]", "hydra.searchpath=[pkg://os]: accepted: a list of folders"),
    ("hydra.output_subdir=/proc/1/mem", "hydra.output_subdir=/proc/1/mem: accepted: null, or .hydra; a run keeps"),
    ("hydra.output_subdir=", "hydra.output_subdir=: accepted: null, or .hydra"),
    ("hydra.output_subdir=config.yaml", "hydra.output_subdir=config.yaml: accepted: null, or .hydra; a run keeps"),
    ("~hydra/launcher", "~hydra/launcher: an option of Hydra cannot be removed"),
    ("game=[mancala,morpion]", f"game=[mancala,morpion]: {ONE}"),
    ("experiment=[mancala_run1,mancala_run2]", f"experiment=[mancala_run1,mancala_run2]: {ONE}"),
    ("+experiment=[a,b]", f"experiment=[a,b]: {ONE}"),
    ("algorithm=[]", f"algorithm=[]: {ONE}"),
    ("hydra/job_logging=[default,none]", f"hydra/job_logging=[default,none]: {ONE}"),
    ("title=${oc.deprecated:seed}", "title=${oc.deprecated:seed}: accepted: a value"),
    ("hydra.run.dir=${oc.deprecated:seed}", "hydra.run.dir=${oc.deprecated:seed}: accepted: a value"),
]


@pytest.mark.few(8)
@pytest.mark.parametrize(("word", "message"), REFUSED, ids=[word for word, _ in REFUSED])
def test_what_names_code_or_is_none_of_hydras_options_is_one_line(call, tmp_path, word, message):
    code, err, plans = call("-m", "seed=0,1", word)
    assert (code, plans) == (2, [])
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err
    assert not list(tmp_path.iterdir()), "nothing is written"


def test_callbacks_of_a_file_and_files_that_are_no_yaml_are_one_line(call, tmp_path):
    mine = tmp_path / "mine"
    (mine / "experiment").mkdir(parents=True)
    noisy = {"hydra": {"callbacks": {"x": {"_target_": "os.system"}}}}
    (mine / "experiment" / "noisy.yaml").write_text("# @package _global_\n" + yaml.safe_dump(noisy))
    (mine / "experiment" / "torn.yaml").write_text("a: [1\nb: {")
    for name, said in (("noisy", "hydra.callbacks=x: accepted: nothing"), ("torn", "")):
        code, err, plans = call(f"--config-dir={mine}", f"experiment={name}")
        assert (code, plans, err.count("\n")) == (2, [], 1)
        assert err.startswith(f"error: {said}")


def test_variables_of_the_environment_may_be_added(call):
    assert call("+hydra.job.env_set.X=1")[:2] == (0, "")
