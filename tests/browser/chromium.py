"""Opens pages in a headless Chromium by Playwright, whose driver tools/setup.sh installs.

A Tab is a browser of its own, the one that CHROMIUM names. It shows one page at a time, evaluates
JavaScript in it and keeps what went wrong: messages of the console, exceptions, dialogs, failed
requests and requests that are not for local files. Every call ends in time: Playwright itself would
wait for ever for a value of a page that hangs.
"""

import asyncio
import base64
import json
import os
import shutil
import time

from playwright.async_api import Error, async_playwright


COUNT_PIXELS = """(async ([url, colour]) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
        count += colour.every((value, part) => data[i + part] === value);
    return count;
})(%s)"""


class Failure(Exception):
    """The browser does not start, or does not answer."""


class Tab:
    def __init__(self):
        self.problems = []  # (kind, words)
        self.page = None
        self.loop = asyncio.new_event_loop()
        self.playwright = self.wait(async_playwright().start())
        # The sandbox needs privileges that containers lack; only local pages are opened here.
        self.browser = self.wait(self.playwright.chromium.launch(
            executable_path=shutil.which(os.environ.get("CHROMIUM") or "chromium"),
            chromium_sandbox=False, args=["--lang=en"]))

    def close(self):
        try:
            self.wait(self.browser.close(), 10)
        except Failure:
            pass
        self.wait(self.playwright.stop())
        self.loop.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def wait(self, answer, timeout=60):
        """Returns what the browser answers within these seconds."""
        try:
            return self.loop.run_until_complete(asyncio.wait_for(answer, timeout))
        except asyncio.TimeoutError as error:
            raise Failure(f"no answer in {timeout} s") from error
        except Error as error:
            raise Failure(error.message) from error

    def view(self, width, scheme, height=900, scripts=True):
        """Begins with an empty page, which has no problems."""
        self.wait(self.begin(viewport={"width": width, "height": height}, is_mobile=width < 600,
                             color_scheme=scheme, java_script_enabled=scripts))

    async def begin(self, **options):
        if self.page:
            await self.page.context.close()
        self.page = await self.browser.new_page(**options)
        self.page.on("dialog", self.dismiss)
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.problem("console", error.message))
        self.page.on("request", self.see_request)
        self.page.on("requestfailed",
                     lambda request: self.problem("request", f"{request.failure}: {request.url}"))
        self.take_problems()

    def take_problems(self):
        """Returns what went wrong since the last call."""
        taken, self.problems = self.problems, []
        return taken

    def problem(self, kind, words):
        self.problems.append((kind, words.split("\n")[0]))

    async def dismiss(self, dialog):
        self.problem("dialog", dialog.message)
        await dialog.dismiss()

    def hear(self, message):
        # A request that fails is told by itself, too.
        if message.type in ("error", "warning", "assert") \
                and not message.text.startswith("Failed to load resource"):
            self.problem("console", f"{message.type}: {message.text}")

    def see_request(self, request):
        if request.url.split(":")[0] not in ("file", "data", "blob", "about"):
            self.problem("request", "to the net: " + request.url)

    def scheme(self, scheme):
        self.wait(self.page.emulate_media(color_scheme=scheme))

    def paper(self):
        self.wait(self.page.emulate_media(media="print"))

    def load(self, url, timeout=60):
        """Loads a page, waits for its load event, and returns the seconds that it took."""
        start = time.monotonic()
        self.wait(self.page.goto(url, timeout=0), timeout)
        return time.monotonic() - start

    def evaluate(self, expression, timeout=60):
        """Returns the value of an expression, or of the promise that it gives."""
        return self.wait(self.page.evaluate(expression), timeout)

    def key(self, name):
        self.wait(self.page.keyboard.press(name))

    def at_start(self, script):
        """Runs a script in the next page before those of the page."""
        self.wait(self.page.add_init_script(script))

    def focus(self, selector):
        self.wait(self.page.focus(selector))

    def type(self, words):
        self.wait(self.page.keyboard.type(words))

    def painted(self, selector, colour):
        """Returns how many pixels of the first element that it selects have this [r, g, b]."""
        png = self.wait(self.page.locator(selector).first.screenshot())
        url = "data:image/png;base64," + base64.b64encode(png).decode()
        return self.evaluate(COUNT_PIXELS % json.dumps([url, colour]))

    def print_to_pdf(self):
        margin = dict.fromkeys(("top", "right", "bottom", "left"), "1cm")
        return self.wait(self.page.pdf(format="A4", margin=margin, print_background=True))
