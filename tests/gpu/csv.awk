# Functions for cells that hold commas; read_row() also sets at[] by the names in the header.
function cells(line, part,    n, c, cell, quoted, i) {
    n = 1; cell = ""; quoted = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) { part[n++] = cell; cell = "" }
        else cell = cell c
    }
    part[n] = cell
    return n
}
function read_row(    n, i) {
    n = cells($0, part)
    if (FNR == 1) { split("", at); for (i = 1; i <= n; i++) at[part[i]] = i }
    return FNR > 1
}
function get(name) { return name in at ? part[at[name]] : "" }
