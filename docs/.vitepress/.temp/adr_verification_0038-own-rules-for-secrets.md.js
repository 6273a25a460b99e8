import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0038: The rules for secrets are a table of our own","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/verification/0038-own-rules-for-secrets.md","filePath":"adr/verification/0038-own-rules-for-secrets.md"}');
const _sfc_main = { name: "adr/verification/0038-own-rules-for-secrets.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0038-the-rules-for-secrets-are-a-table-of-our-own" tabindex="-1">0038: The rules for secrets are a table of our own <a class="header-anchor" href="#_0038-the-rules-for-secrets-are-a-table-of-our-own" aria-label="Permalink to &quot;0038: The rules for secrets are a table of our own&quot;">​</a></h1><p>Status: superseded.</p><ul><li>Superseded by <a href="./0045-rules-for-secrets-and-licences-are-data">ADR 0045</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The widest public set of rules for secrets is that of gitleaks, and its licence (MIT) permits including it. Copied files have to be kept up to date, and their origin has to be proven.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The repository has its own table (<code>src/verification/data/secret-rules.ts</code>): about fifty forms that the issuers of keys document, keys in blocks, passwords in addresses, and one rule for values that look random. An operator adds the current file of gitleaks, or another one in its format, with <code>SECRET_RULES_FILE</code>. All rules run in linear time, near their keywords only. Licences are judged in the same way by a small own table (<code>src/verification/data/licence-table.ts</code>) based on the list of the Free Software Foundation; what it does not contain is left to a person. Lockfiles are read by own code, one file for each ecosystem, because little is needed of them: names, versions, licences, and which packages are for development only.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Without <code>SECRET_RULES_FILE</code>, fewer issuers are known than gitleaks knows; the rule for names of secrets catches many others, as suspicions. A rule file that cannot be read ends the worker at boot. A rule that is not RE2 fails the scan: this is the operator&#39;s error, and no agent&#39;s score changes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/verification/0038-own-rules-for-secrets.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0038OwnRulesForSecrets = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0038OwnRulesForSecrets as default
};
