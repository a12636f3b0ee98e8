# Writes networks by both PyTorch exporters and by skl2onnx, with what PyTorch computes beside each: python export.py FOLDER
import contextlib, logging, os, pathlib, sys, warnings
import numpy as np
import torch
from torch import nn
from models import networks

warnings.filterwarnings("ignore")
logging.disable(logging.ERROR)
torch.manual_seed(14)
torch.set_num_threads(1)
torch.backends.mha.set_fastpath_enabled(False)
folder = pathlib.Path(sys.argv[1])

# (name, older exporter?, opset, options); `fixed` has no open sizes, `raw` leaves batch norms and constants as they are.
ways = [
    ("leg11", True, 11, {}),
    ("leg17", True, 17, {}),
    ("legraw", True, 13, {"do_constant_folding": False, "training": torch.onnx.TrainingMode.PRESERVE}),
    ("dyn18", False, 18, {}),
    ("dyn20", False, 20, {}),
    ("dyn23", False, 23, {}),
]


def settle(net):
    """Batch norms with statistics of their own, as after training, and weights that are nothing special."""
    for part in net.modules():
        if isinstance(part, (nn.BatchNorm2d, nn.GroupNorm, nn.LayerNorm, nn.InstanceNorm2d)):
            if part.weight is not None:
                nn.init.uniform_(part.weight, 0.5, 1.5)
                nn.init.uniform_(part.bias, -0.3, 0.3)
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.uniform_(-0.3, 0.3)
            part.running_var.uniform_(0.3, 1.5)
    return net.eval()


@contextlib.contextmanager
def silence():
    """The exporters print graphs from C++, too: both streams go nowhere."""
    sys.stdout.flush()
    kept, nowhere = [os.dup(1), os.dup(2)], os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1), os.dup2(nowhere, 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept[0], 1), os.dup2(kept[1], 2)
        for descriptor in [*kept, nowhere]:
            os.close(descriptor)


def export(path, net, inputs, older, opset, options):
    names = ["x", "z"][: len(inputs)]
    sizes = {"dynamic_axes": {name: {0: "batch"} for name in names}} if older else {}
    torch.onnx.export(net, inputs, path, dynamo=not older, opset_version=opset, input_names=names, **sizes, **options)


def reference(path, net, inputs):
    with torch.no_grad():
        outputs = net(*inputs)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    values = {f"input{k}": x.numpy() for k, x in enumerate(inputs)}
    np.savez(path, **values, **{f"output{k}": y.numpy() for k, y in enumerate(outputs)})


def torch_models():
    for name, (net, inputs) in networks().items():
        settle(net)
        for way, older, opset, options in ways:
            path = folder / f"{name}_{way}.onnx"
            try:
                with silence():
                    export(path, net, inputs, older, opset, options)
                reference(path.with_suffix(".npz"), net, inputs)
                print(path.name, flush=True)
            except Exception as error:
                path.unlink(missing_ok=True)
                print(f"{path.name}: not written: {str(error).strip().splitlines()[0][:120]}", flush=True)


def sklearn_models():
    from skl2onnx import to_onnx
    from sklearn.datasets import load_iris
    from sklearn.decomposition import PCA
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    x, y = load_iris(return_X_y=True)
    x = x.astype(np.float32)
    models = {
        "skscaled": make_pipeline(StandardScaler(), PCA(3), MLPRegressor(hidden_layer_sizes=(8, 8), max_iter=300, random_state=0)),
        "sktanh": MLPRegressor(hidden_layer_sizes=(6,), activation="tanh", max_iter=300, random_state=0),
        "skforest": RandomForestClassifier(4, max_depth=3, random_state=0),
        "skboost": GradientBoostingRegressor(n_estimators=5, random_state=0),
        "sksvr": SVR(),
    }
    for name, model in models.items():
        for opset in (15, 21):
            path = folder / f"{name}_{opset}.onnx"
            try:
                path.write_bytes(to_onnx(model.fit(x, y), x[:1], target_opset=opset).SerializeToString())
                print(path.name, flush=True)
            except Exception as error:
                print(f"{path.name}: not written: {str(error).strip().splitlines()[0][:120]}", flush=True)


torch_models()
sklearn_models()
