"""Training the model and running the servers: the action server and Rasa, started, watched and ended together."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from platformdirs import user_cache_path

from explainer import catalog
from explainer.errors import WhyifError

BOT = Path(__file__).resolve().parent
HOST = "127.0.0.1"
_SECONDS_TO_START = 180
_SECONDS_TO_STOP = 8
_SECONDS_BETWEEN_CHECKS = 0.3


class StartError(WhyifError):
    """Something could not be trained or started."""


def home() -> Path:
    """Where models and logs are kept: WHYIF_HOME, else the user's cache directory."""
    path = Path(os.environ.get("WHYIF_HOME") or user_cache_path("whyif"))
    path.mkdir(parents=True, exist_ok=True)
    return path


def environment(kbs: Sequence[Path], actions_port: int = 0, learned: Sequence[Path] = ()) -> dict[str, str]:
    """The environment of the servers: their configuration, and less noise."""
    return {
        **os.environ,
        catalog.VARIABLE: _joined(kbs),
        catalog.LEARNED_VARIABLE: _joined(learned),
        "WHYIF_ACTIONS_URL": f"http://{HOST}:{actions_port}/webhook",
        "SANIC_HOST": HOST,
        "PYTHONWARNINGS": "ignore",
        "RASA_TELEMETRY_ENABLED": "false",
        "SQLALCHEMY_SILENCE_UBER_WARNING": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
    }


def _joined(paths: Sequence[Path]) -> str:
    return os.pathsep.join(str(path.resolve()) for path in paths)


# --- the model ----------------------------------------------------------------------------------------------------


def model_path() -> Path:
    """Where the model for the current bot files is, or will be; knowledge bases play no part in it."""
    inputs = sorted(
        [*BOT.glob("*.yml"), *BOT.glob("domain/*"), *BOT.glob("data/**/*.yml"), *BOT.glob("components/*.py")]
    )
    digest = hashlib.sha256(sys.version.encode())
    for path in inputs:
        digest.update(path.relative_to(BOT).as_posix().encode() + b"\0" + path.read_bytes())
    return home() / "models" / f"whyif-{digest.hexdigest()[:16]}.tar.gz"


def train() -> Path:
    """Train the model unless the one for the current bot files is there.

    Raises:
        StartError: Rasa could not train it.
    """
    path = model_path()
    if path.exists():
        return path
    path.parent.mkdir(exist_ok=True)
    scratch = f"{path.name.removesuffix('.tar.gz')}-{os.getpid()}"
    command = [*_RASA, "train", "--config", BOT / "config.yml", "--domain", BOT / "domain", "--data", BOT / "data"]
    command += ["--out", path.parent, "--fixed-model-name", scratch]
    with _log("training").open("wb") as log:
        done = subprocess.run(
            command, cwd=home(), env=environment(()), stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    trained = path.parent / f"{scratch}.tar.gz"
    if done.returncode or not trained.exists():
        raise StartError(f"the language model could not be trained; see {_log('training')}")
    trained.replace(path)
    return path


_RASA: list[str | Path] = [sys.executable, "-m", "rasa"]


def _log(name: str) -> Path:
    path = home() / "logs" / f"{name}.log"
    path.parent.mkdir(exist_ok=True)
    return path


# --- services -----------------------------------------------------------------------------------------------------


@dataclass
class Service:
    """A server process with its log, in a process group of its own that ends with it."""

    name: str
    command: Sequence[str | Path]
    environment: dict[str, str]
    ready: Callable[[], bool]
    process: subprocess.Popen[bytes] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Start the process; its output goes to its log."""
        with _log(self.name).open("ab") as log:
            self.process = _spawn(self.command, self.environment, log)

    def running(self) -> bool:
        """Whether the process lives."""
        return self.process is not None and self.process.poll() is None

    def wait_until_ready(self) -> None:
        """Wait until the server answers.

        Raises:
            StartError: it ended, or did not answer in time.
        """
        deadline = time.monotonic() + _SECONDS_TO_START
        while not self.ready():
            if not self.running():
                raise StartError(f"{self.name} ended while starting; see {_log(self.name)}")
            if time.monotonic() > deadline:
                raise StartError(f"{self.name} does not answer after {_SECONDS_TO_START} s; see {_log(self.name)}")
            time.sleep(_SECONDS_BETWEEN_CHECKS)

    def restart_if_ended(self) -> None:
        """Start the process again if it has ended, unless it is being stopped."""
        with self._lock:
            if self.process is not None and not self.running():
                self.start()

    def stop(self) -> None:
        """End the process and all it has started."""
        with self._lock:
            process, self.process = self.process, None
        if process is None:
            return
        for sign in (signal.SIGTERM, signal.SIGKILL):
            _signal_group(process.pid, sign)
            try:
                process.wait(_SECONDS_TO_STOP)
            except subprocess.TimeoutExpired:
                continue
            break
        _signal_group(process.pid, signal.SIGKILL)


def _spawn(command: Sequence[str | Path], env: dict[str, str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        cwd=home(),
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
        preexec_fn=_end_with_parent if sys.platform == "linux" else None,
    )


def _end_with_parent() -> None:
    """Have the kernel end this process when its parent dies, however it dies (Linux: PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _signal_group(pid: int, sign: signal.Signals) -> None:
    try:
        os.killpg(pid, sign)
    except (ProcessLookupError, PermissionError):
        return


@contextmanager
def running(services: Sequence[Service]) -> Iterator[None]:
    """The services' lifetime: on leaving, whatever the reason, all are stopped."""
    try:
        for service in services:
            service.start()
        yield
    finally:
        for service in reversed(services):
            service.stop()


def action_server(kbs: Sequence[Path], port: int, learned: Sequence[Path] = ()) -> Service:
    """rasa-sdk's action server with our actions."""
    command = [sys.executable, "-m", "bot.server", str(port)]
    return Service(
        "action-server", command, environment(kbs, port, learned), lambda: _answers(f"http://{HOST}:{port}/health")
    )


def rasa_server(kbs: Sequence[Path], model: Path, port: int, actions_port: int) -> Service:
    """Rasa with the REST channel; ready when a question has gone all the way through both servers."""
    command = [*_RASA, "run", "--interface", HOST, "--port", str(port), "--model", model]
    command += ["--endpoints", BOT / "endpoints.yml", "--credentials", BOT / "credentials.yml"]
    url = f"http://{HOST}:{port}/webhooks/rest/webhook"
    question = json.dumps({"sender": "whyif-start", "message": "/ask_help"}).encode()
    return Service("rasa", command, environment(kbs, actions_port), lambda: _answers(url, question))


def shell_command(model: Path, port: int) -> list[str | Path]:
    """The command of a Rasa shell."""
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "bot.shell",
        "--model",
        model,
        "--interface",
        HOST,
        "--port",
        str(port),
        "--quiet",
    ]
    return [*command, "--endpoints", BOT / "endpoints.yml", "--credentials", BOT / "credentials.yml"]


def watch(service: Service, stopped: threading.Event) -> threading.Thread:
    """Restart a service whenever it ends, until `stopped` is set."""

    def loop() -> None:
        while not stopped.wait(_SECONDS_BETWEEN_CHECKS):
            service.restart_if_ended()

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    return thread


def free_port() -> int:
    """A port on loopback that nobody listens on."""
    with socket.socket() as s:
        s.bind((HOST, 0))
        return int(s.getsockname()[1])


def require_free(port: int) -> None:
    """Raise StartError where somebody listens on the port already."""
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind((HOST, port))
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise StartError(f"port {port} cannot be used ({reason}); choose another one with --port N") from None


def _answers(url: str, data: bytes | None = None) -> bool:
    """Whether the URL answers with something that is neither an error nor empty."""
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as response:
            return bool(json.loads(response.read()))
    except (OSError, ValueError):
        return False
