/* Looks at the page as it stands and returns what is wrong with it: a list of [kind, words]. It is
 * evaluated in the page by look.py, with the kinds to look for and a selector of the parts to look
 * at. */
((wanted, within) => {
  "use strict";
  const found = [];
  const style = new Map();
  const style_of = element => {
    if (!style.has(element)) style.set(element, getComputedStyle(element));
    return style.get(element);
  };
  const words_of = node => node.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
  function name_of(element) {
    const names = [];
    for (let e = element; e && e !== document.body && names.length < 3; e = e.parentElement) {
      const kind = e.getAttribute("class");
      names.unshift(e.localName + (e.id ? "#" + e.id : kind ? "." + kind.trim().replace(/\s+/g, ".") : ""));
      if (e.id) break;
    }
    return names.join(" > ");
  }
  const report = (kind, element, words) => found.push([kind, `${name_of(element)}: ${words}`]);
  const root = document.documentElement;

  /* A part that sticks to the edge may cover text that scrolls: it is looked at in its place. */
  const parts = [...document.querySelectorAll(within)];
  for (const part of parts)
    for (const element of [part, ...part.querySelectorAll("*")])
      if (style_of(element).position === "sticky") element.style.position = "static";

  /* ---- the visible text ---- */

  const none = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };
  const page = { ...none, left: -scrollX, top: -scrollY };
  const meet = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const clips = new Map(), edges = new Map();
  const is_svg = element => element.localName === "svg" && element.namespaceURI.endsWith("svg");
  function clipping(element, axis) {
    const value = style_of(element)["overflow" + axis];
    return value === "visible" || style_of(element).display === "inline" && !is_svg(element)
      || element === root || element === document.body ? null : value;
  }
  /* The part of the page in which an element can be seen. With `fixed`, only the edges that the
   * reader cannot scroll count. */
  function clip_of(element, fixed) {
    if (!element) return fixed ? page : none;
    const known = fixed ? edges : clips;
    if (!known.has(element)) {
      let clip = clip_of(element.parentElement, fixed);
      const x = clipping(element, "X"), y = clipping(element, "Y"), box = element.getBoundingClientRect();
      const cuts = value => value && (!fixed || value === "hidden" || value === "clip");
      /* Edges around a scrolling element do not cut what is scrolled away in it. */
      if (fixed && (x === "auto" || x === "scroll")) clip = { ...clip, left: -1e9, right: 1e9 };
      if (fixed && (y === "auto" || y === "scroll")) clip = { ...clip, top: -1e9, bottom: 1e9 };
      if (cuts(x)) clip = meet(clip, { ...none, left: box.left, right: box.right });
      if (cuts(y)) clip = meet(clip, { ...none, top: box.top, bottom: box.bottom });
      known.set(element, clip);
    }
    return known.get(element);
  }

  const unseen = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "OPTION", "TEXTAREA", "title", "desc"]);
  const texts = [];
  const range = document.createRange();
  const nodes = parts.flatMap(part => {
    const inside = [], walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) inside.push(walker.currentNode);
    return inside;
  });
  for (const node of nodes) {
    const element = node.parentElement;
    if (!node.data.trim() || unseen.has(element.tagName)) continue;
    if (element.tagName === "DETAILS" && !element.open) continue;
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter(box => box.width > 0.5 && box.height > 0.5);
    if (boxes.length) texts.push({ node, element, boxes, svg: element.closest("svg") });
  }

  /* ---- sideways scrolling, clipped text ---- */

  function sideways() {
    if (root.scrollWidth <= root.clientWidth) return;
    const widest = [...document.body.querySelectorAll("*")].filter(e => e.checkVisibility()).map(e =>
      [Math.min(e.getBoundingClientRect().right + scrollX, clip_of(e.parentElement, false).right + scrollX), e])
      .sort((a, b) => b[0] - a[0])[0];
    report("sideways", widest ? widest[1] : root,
      `the page is ${root.scrollWidth} px wide in a window of ${root.clientWidth} px`);
  }
  function clipped() {
    const holders = new Set();
    for (const text of texts) for (let e = text.element; e && !holders.has(e); e = e.parentElement) holders.add(e);
    for (const element of holders) {
      if (element.namespaceURI.endsWith("svg")) continue;
      const cut = value => value === "hidden" || value === "clip";
      if (cut(clipping(element, "X")) && element.scrollWidth > element.clientWidth + 1)
        report("clipped", element, `${element.scrollWidth} px wide in ${element.clientWidth} px: “${words_of(element)}”`);
      else if (cut(clipping(element, "Y")) && element.scrollHeight > element.clientHeight + 1)
        report("clipped", element, `${element.scrollHeight} px high in ${element.clientHeight} px: “${words_of(element)}”`);
    }
    for (const { node, element, boxes } of texts) {
      const clip = clip_of(element, true);
      const lost = boxes.map(box => [clip.left - box.left, box.right - clip.right,
        clip.top - box.top - 0.2 * box.height, box.bottom - clip.bottom - 0.2 * box.height]);
      const most = Math.max(...lost.flat());
      if (most > 1.5) report("clipped", element, `${most.toFixed(0)} px of “${words_of(node)}” are cut off`);
    }
  }

  /* ---- overlapping text ---- */

  /* The box of a line is higher than its letters: only the middle of it counts. */
  function overlap() {
    const lines = [];
    for (const text of texts) {
      const clip = clip_of(text.element, false);
      for (const box of text.boxes) {
        const line = meet(clip, { left: box.left + 1, right: box.right - 1, top: box.top + 0.25 * box.height,
          bottom: box.bottom - 0.22 * box.height });
        if (line.right > line.left && line.bottom > line.top) lines.push({ ...line, text });
      }
    }
    lines.sort((a, b) => a.top - b.top);
    const told = new Set();
    lines.forEach((line, i) => {
      for (let k = i + 1; k < lines.length && lines[k].top < line.bottom; k++) {
        const other = lines[k], both = meet(line, other);
        if (other.text === line.text || told.has(line.text) || both.right - both.left <= 1 || both.bottom - both.top <= 1)
          continue;
        told.add(line.text);
        report("overlap", line.text.element, `“${words_of(line.text.node)}” and “${words_of(other.text.node)}”`
          + ` share ${(both.right - both.left).toFixed(0)} x ${(both.bottom - both.top).toFixed(0)} px`);
      }
    });
  }

  /* ---- contrast ---- */

  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colours = new Map();
  function colour_of(words) {
    if (!colours.has(words)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = "#0000";
      canvas.fillStyle = words;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      colours.set(words, [r, g, b, a / 255]);
    }
    return colours.get(words);
  }
  function over(top, below) {
    const alpha = top[3] + below[3] * (1 - top[3]);
    if (alpha === 0) return [0, 0, 0, 0];
    return [0, 1, 2].map(i => (top[i] * top[3] + below[i] * below[3] * (1 - top[3])) / alpha).concat(alpha);
  }
  const faded = (colour, by) => [colour[0], colour[1], colour[2], colour[3] * by];
  function luminance(colour) {
    const [r, g, b] = colour.map(value => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function ratio_of(a, b) {
    const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches && style_of(root).colorScheme.includes("dark");
  const paper = dark ? [18, 18, 18, 1] : [255, 255, 255, 1];
  /* The contrast of a colour on a ground, both within an element. */
  function contrast_in(element, colour, ground) {
    let front = over(colour, ground), back = ground;
    for (let e = element; e; e = e.parentElement) {
      const own = style_of(e), below = colour_of(own.backgroundColor), fade = Number(own.opacity);
      front = faded(over(front, below), fade);
      back = faded(over(back, below), fade);
    }
    return ratio_of(over(front, paper), over(back, paper));
  }
  const shapes = new Map(); /* the filled shapes of a picture, in the order of drawing */
  function shapes_of(svg) {
    if (!shapes.has(svg)) shapes.set(svg, [...svg.querySelectorAll("rect, path, circle, ellipse, polygon")]
      .filter(e => style_of(e).fill !== "none" && e.checkVisibility() && !e.closest("defs, pattern, clipPath")).map(e => {
        let fade = Number(style_of(e).fillOpacity);
        for (let up = e; up !== svg; up = up.parentElement) fade *= Number(style_of(up).opacity);
        return { element: e, box: e.getBoundingClientRect(), colour: faded(colour_of(style_of(e).fill), fade) };
      }).filter(shape => shape.colour[3] > 0.02));
    return shapes.get(svg);
  }
  /* The colours of the shapes that lie under the beginning, the middle and the end of a text. */
  function grounds_of({ element, boxes, svg }) {
    const box = boxes[0], y = (box.top + box.bottom) / 2;
    return [box.left + 2, (box.left + box.right) / 2, box.right - 2].map(x => {
      let ground = [0, 0, 0, 0];
      for (const shape of shapes_of(svg)) {
        if (x < shape.box.left || x > shape.box.right || y < shape.box.top || y > shape.box.bottom) continue;
        if (!(shape.element.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
        const point = new DOMPoint(x, y).matrixTransform(shape.element.getScreenCTM().inverse());
        if (shape.element.isPointInFill(point)) ground = over(shape.colour, ground);
      }
      return ground;
    });
  }
  function contrast() {
    const known = new Map(); /* by element */
    const check = (element, colour, grounds, words) => {
      const worst = Math.min(...grounds.map(ground => contrast_in(element, colour, ground)));
      if (worst < 4.49) report("contrast", element, `${worst.toFixed(2)}:1 for “${words}”`);
      return worst;
    };
    const clear = [[0, 0, 0, 0]];
    for (const text of texts) {
      const { element, svg } = text, own = style_of(element), drawn = svg && element !== svg;
      if (element.closest(":disabled") || !drawn && known.has(element)) continue;
      known.set(element, true);
      const in_picture = drawn && element.namespaceURI.endsWith("svg");
      const colour = in_picture ? faded(colour_of(own.fill), Number(own.fillOpacity)) : colour_of(own.color);
      check(element, colour, in_picture ? grounds_of(text) : clear, words_of(text.node));
    }
    for (const element of parts.flatMap(part => [...part.querySelectorAll("select, input, textarea")]))
      if (element.checkVisibility() && !element.disabled)
        check(element, colour_of(style_of(element).color), clear, element.localName);
    for (const element of parts.flatMap(part => [...part.querySelectorAll("[data-label]")])) {
      const before = getComputedStyle(element, "::before");
      if (/[a-z]/i.test(before.content.replace(/^(none|normal)$/, "").replace(/attr\(.*?\)/g, "a"))
          && before.display !== "none" && element.checkVisibility())
        check(element, colour_of(before.color), clear, before.content);
    }
  }

  const checks = { sideways, clipped, overlap, contrast };
  for (const kind of wanted) checks[kind]();
  return found;
})(WANTED)
