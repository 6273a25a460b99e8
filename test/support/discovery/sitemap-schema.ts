/** Validates sitemaps against the XSD of sitemaps.org of 2008-03-26, which the package `sitemap` carries (MIT). */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { validateXML } from 'xmllint-wasm';

const OF_SITEMAPS = readFileSync(
  resolve(__dirname, '../../../node_modules/sitemap/schema/sitemap.xsd'),
  'utf8',
);

/** Written after https://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd, which the package has not. */
const OF_INDEXES = `<?xml version="1.0" encoding="UTF-8"?>
<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.sitemaps.org/schemas/sitemap/0.9"
    xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" elementFormDefault="qualified">
  <xsd:element name="sitemapindex"><xsd:complexType><xsd:sequence>
    <xsd:element name="sitemap" maxOccurs="unbounded"><xsd:complexType><xsd:all>
      <xsd:element name="loc"><xsd:simpleType><xsd:restriction base="xsd:anyURI">
        <xsd:minLength value="12"/><xsd:maxLength value="2048"/>
      </xsd:restriction></xsd:simpleType></xsd:element>
      <xsd:element name="lastmod" type="xsd:dateTime" minOccurs="0"/>
    </xsd:all></xsd:complexType></xsd:element>
  </xsd:sequence></xsd:complexType></xsd:element>
</xsd:schema>`;

/** The problems of a sitemap, or of an index of sitemaps. */
export async function sitemapProblems(xml: string): Promise<string[]> {
  const schema = xml.includes('<sitemapindex') ? OF_INDEXES : OF_SITEMAPS;
  const { valid, errors } = await validateXML({
    xml: [{ fileName: 'map.xml', contents: xml }],
    schema: [schema],
  });
  return valid ? [] : errors.map(({ message }) => message);
}
