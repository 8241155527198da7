"""Drives a headless Chromium by the DevTools protocol, over a pipe and with Python's own library.

A Browser is one process with a profile of its own, which is removed when the browser is closed. A
Tab loads pages, evaluates JavaScript in them and keeps what went wrong: messages of the console,
exceptions, dialogs, failed requests and requests that are not for local files.
"""

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time


class Failure(Exception):
    """The browser does not start, or does not answer."""


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="whyfast-browser-")
        to_read, self.writer = os.pipe()
        self.reader, to_write = os.pipe()
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        to_read, to_write = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, to_write))

        def connect():
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        # The sandbox needs privileges that containers lack; only local pages are opened here.
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--user-data-dir=" + self.profile, "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-renderer-backgrounding", "--disable-dev-shm-usage", "--lang=en",
             "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=connect, pass_fds=(3, 4), start_new_session=True,
            env=dict(os.environ, HOME=self.profile))
        os.close(to_read)
        os.close(to_write)
        self.buffer = b""
        self.last = 0
        self.tabs = {}
        self.command("Browser.getVersion", timeout=60)

    def close(self):
        try:
            self.command("Browser.close", timeout=10)
            self.process.wait(10)
        except (Failure, OSError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.writer)
        os.close(self.reader)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, method, params=None, session=None):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.writer, data):]
        return self.last

    def receive(self, deadline):
        """Returns the next message, or None at the deadline."""
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.reader], [], [], left)[0]:
                return None
            part = os.read(self.reader, 1 << 20)
            if not part:
                raise Failure("the browser ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def dispatch(self, message):
        tab = self.tabs.get(message.get("sessionId"))
        if tab and "method" in message:
            tab.event(message["method"], message["params"])

    def command(self, method, params=None, session=None, timeout=60):
        number = self.send(method, params, session)
        deadline = time.monotonic() + timeout
        while True:
            message = self.receive(deadline)
            if message is None:
                raise Failure(f"{method}: no answer in {timeout} s")
            if message.get("id") != number:
                self.dispatch(message)
            elif "error" in message:
                raise Failure(f"{method}: {message['error']['message']}")
            else:
                return message["result"]


class Tab:
    def __init__(self, browser):
        self.browser = browser
        self.problems = []  # (kind, words)
        self.loaded = False
        self.requests = {}  # the addresses of the requests by their identifiers
        target = browser.command("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = browser.command(
            "Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        browser.tabs[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.command(domain + ".enable")

    def command(self, method, params=None, timeout=60):
        return self.browser.command(method, params, self.session, timeout)

    def event(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(("dialog", params["message"]))
            self.browser.send("Page.handleJavaScriptDialog", {"accept": False}, self.session)
        elif method == "Runtime.consoleAPICalled":
            if params["type"] in ("error", "warning", "assert"):
                words = " ".join(str(a.get("value", a.get("description"))) for a in params["args"])
                self.problems.append(("console", f"{params['type']}: {words}"))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            words = details.get("exception", {}).get("description", details["text"])
            self.problems.append(("console", words.split("\n")[0]))
        elif method == "Log.entryAdded":
            entry = params["entry"]
            # A request that fails is told by the network, too.
            if entry["level"] in ("error", "warning") and entry["source"] != "network":
                self.problems.append(("console", entry["text"]))
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            self.requests[params["requestId"]] = url
            if url.split(":")[0] not in ("file", "data", "blob", "about"):
                self.problems.append(("request", "to the net: " + url))
        elif method == "Network.loadingFailed":
            url = self.requests.get(params["requestId"], "")
            self.problems.append(("request", f"{params['errorText']}: {url}"))

    def take_problems(self):
        """Returns what went wrong since the last call."""
        taken, self.problems = self.problems, []
        return taken

    def view(self, width, scheme, height=900):
        self.command("Emulation.setDeviceMetricsOverride",
                     {"width": width, "height": height, "deviceScaleFactor": 1,
                      "mobile": width < 600})
        self.scheme(scheme)

    def scheme(self, scheme):
        self.command("Emulation.setEmulatedMedia",
                     {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def scripts(self, enabled):
        self.command("Emulation.setScriptExecutionDisabled", {"value": not enabled})

    def load(self, url, timeout=60):
        """Loads a page anew, waits for its load event, and returns the seconds that it took."""
        if url.split("#")[0] == getattr(self, "url", "").split("#")[0]:
            self.open("about:blank", timeout)
        return self.open(url, timeout)

    def open(self, url, timeout):
        self.url = url
        self.loaded = False
        start = time.monotonic()
        failed = self.command("Page.navigate", {"url": url}).get("errorText")
        if failed:
            raise Failure(f"{url}: {failed}")
        self.wait(lambda: self.loaded, timeout, url)
        return time.monotonic() - start

    def wait(self, condition, timeout, what):
        deadline = time.monotonic() + timeout
        while not condition():
            message = self.browser.receive(deadline)
            if message is None:
                raise Failure(f"{what}: not loaded in {timeout} s")
            self.browser.dispatch(message)

    def evaluate(self, expression, timeout=60):
        """Returns the value of an expression, or of the promise that it gives."""
        result = self.command("Runtime.evaluate", {
            "expression": expression, "returnByValue": True, "awaitPromise": True}, timeout)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def key(self, name):
        for kind in ("rawKeyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", {
                "type": kind, "key": name, "code": name,
                "windowsVirtualKeyCode": {"ArrowLeft": 37, "ArrowRight": 39}[name]})

    def print_to_pdf(self):
        return self.command("Page.printToPDF", {"printBackground": True, "paperWidth": 8.27,
                                                "paperHeight": 11.69})["data"]
