"use strict";
const whyfast = { ladders: {}, ladder(data) { whyfast.ladders[data.family] = data; } };
