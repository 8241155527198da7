"""Validates the JSON that whyfast prints against its schemas under reports/schema.

    python3 json_schema.py SCHEMAS [FILE...]

Each file holds what one command printed; without a file, the schemas alone are checked. A whole
number is not 1.0, although JSON Schema takes that for one. A member that is an object with a schema
of its own is validated against that. Prints what is wrong, and exits with 1 if something is.
"""
import glob
import json
import os
import sys

import jsonschema

BASE = jsonschema.Draft202012Validator
STRICT = jsonschema.validators.extend(BASE, type_checker=BASE.TYPE_CHECKER.redefine(
    "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)))


def read_schemas(folder):
    schemas = {}
    for path in glob.glob(os.path.join(folder, "*.json")):
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        BASE.check_schema(schema)
        name, version = os.path.basename(path)[:-5].rsplit(".", 1)
        if schema["title"] != f"whyfast.{name}/{version}":
            raise ValueError(f"{path} has the title {schema['title']}")
        schemas[schema["title"]] = schema
    return schemas


def faults_in(printed, schemas):
    schema = schemas.get(printed.get("schema"))
    if not schema:
        return [f"there is no schema {printed.get('schema')}"]
    faults = [f"{fault.json_path}: {fault.message[:200]}"
              for fault in STRICT(schema).iter_errors(printed)]
    for member in printed.values():
        if isinstance(member, dict) and "schema" in member:
            faults += faults_in(member, schemas)
    return faults


def faults_of(path, schemas):
    with open(path, encoding="utf-8") as file:
        return faults_in(json.load(file), schemas)


def main():
    schemas = read_schemas(sys.argv[1])
    if not schemas:
        raise ValueError(f"{sys.argv[1]} holds no schema")
    faults = [f"{path}: {fault}" for path in sys.argv[2:] for fault in faults_of(path, schemas)]
    print("\n".join(faults[:20]), end="\n" if faults else "")
    return 1 if faults else 0


sys.exit(main())
