"""Drives a headless Chromium over its DevTools pipe. Needs no package: messages are JSON texts that end with a zero byte."""

import base64
import json
import os
import shutil
import subprocess

CHROMIUM = next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb",
           "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking", "--disable-component-update"]


def use_descriptors_3_and_4(read_end, write_end):
    """Chromium reads commands from descriptor 3 and writes messages to descriptor 4."""
    copies = os.dup(read_end), os.dup(write_end)
    os.dup2(copies[0], 3)
    os.dup2(copies[1], 4)


class Browser:
    """One tab. `problems` collects errors of the console, exceptions, violations of the security policy, and all requests but the page."""

    def __init__(self, folder, size=(1400, 1000)):
        commands, self.to_browser = os.pipe()
        self.from_browser, messages = os.pipe()
        self.process = subprocess.Popen(
            [CHROMIUM, *OPTIONS, f"--user-data-dir={folder}", f"--window-size={size[0]},{size[1]}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(3, 4),
            preexec_fn=lambda: use_descriptors_3_and_4(commands, messages))
        os.close(commands)
        os.close(messages)
        self.buffer, self.number, self.session, self.problems, self.loaded = b"", 0, None, [], False
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        for descriptor in (self.to_browser, self.from_browser):
            os.close(descriptor)
        self.process.terminate()
        self.process.wait(timeout=20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.from_browser, 1 << 20)
            assert part, "Chromium has ended"
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, event):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            self.problems.append(event["exceptionDetails"].get("exception", event["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
            self.problems.append([argument.get("value") for argument in event["args"]])
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            self.problems.append(event["entry"]["text"])
        elif method == "Network.requestWillBeSent" and event.get("type") != "Document":
            self.problems.append(f"request of {event['request']['url'][:200]}")

    def call(self, method, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(command).encode() + b"\0")
        while (message := self.receive()).get("id") != self.number:
            pass
        assert "error" not in message, f"{method}: {message['error']}"
        return message["result"]

    def open(self, path, fragment=""):
        """Opens a file and waits until the page has drawn its pictures. `fragment`: the text of the address from # on."""
        self.loaded = False
        self.call("Page.navigate", url="about:blank")  # a change of the fragment alone would not load the page
        while not self.loaded:
            self.receive()
        self.loaded = False
        self.call("Page.navigate", url=path.resolve().as_uri() + fragment)
        while not self.loaded:
            self.receive()
        self.wait("document.body.dataset.ready !== undefined")
        return self

    def value(self, script):
        """The value of a JavaScript expression, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition):
        """Waits until a JavaScript expression is true and two frames are drawn."""
        self.value(f"""(async () => {{
            const frame = () => new Promise(requestAnimationFrame);
            while (!({condition})) await frame();
            await frame(); await frame();
        }})()""")

    def click(self, selector):
        """Clicks the middle of an element with the mouse. A scrolled table draws its rows again, so the click waits for this."""
        element = f"document.querySelector({json.dumps(selector)})"
        self.value(f"{element}.scrollIntoView({{block: 'center'}})")
        self.wait("true")
        box = self.value(f"""(() => {{
            const box = {element}.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)
        self.wait("true")

    def type_into(self, selector, text):
        """Replaces the text of an input by typed text."""
        self.value(f"(() => {{ const box = document.querySelector({json.dumps(selector)}); box.focus(); box.select(); }})()")
        self.call("Input.insertText", text=text)
        self.wait("true")

    def press(self, key, shift=False):
        """Presses a key. A text of several letters is the name of a key."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "PageDown": 34, "End": 35, "Home": 36, "ArrowRight": 39, "ArrowDown": 40}
        text = {"Enter": {"text": "\r"}, " ": {"text": " "}}.get(key, {})
        common = {"key": key, "windowsVirtualKeyCode": codes[key], "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def show_as(self, width, height, scheme):
        """Sets the size of the page and the colour scheme: "light" or "dark"."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def downloads_to(self, folder):
        self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    def choose(self, selector, value):
        self.value(f"""(() => {{
            const box = document.querySelector({json.dumps(selector)});
            box.value = {json.dumps(value)};
            box.dispatchEvent(new Event("change"));
        }})()""")
        self.wait("true")

    def screenshot(self, path, full=True):
        clip = {"clip": self.full_page()} if full else {}
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full, **clip)
        path.write_bytes(base64.b64decode(picture["data"]))

    def full_page(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
