import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0192: Times read from Postgres keep their microseconds","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0192-times-read-from-postgres-keep-their-microseconds.md","filePath":"adr/operations/0192-times-read-from-postgres-keep-their-microseconds.md"}');
const _sfc_main = { name: "adr/operations/0192-times-read-from-postgres-keep-their-microseconds.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0192-times-read-from-postgres-keep-their-microseconds" tabindex="-1">0192: Times read from Postgres keep their microseconds <a class="header-anchor" href="#_0192-times-read-from-postgres-keep-their-microseconds" aria-label="Permalink to &quot;0192: Times read from Postgres keep their microseconds&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Postgres stores times with microseconds, a <code>Date</code> has milliseconds. A time that was read and then compared in a statement was therefore earlier than the stored one. A payout&#39;s statement lacked its last earning (<code>BETWEEN … $4</code>), and each page repeated a line of the page before (<code>(matures_at, id) &gt; ($5, $6)</code>).</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A time that is read is a <code>StoredTime</code> (<code>src/stores/stored-time.ts</code>): a <code>Date</code> that keeps the text which Postgres wrote. The client that the pools use sends that text when the time goes back as a parameter. Positions of lists that are times travel in microseconds, made and read by SQL. Arithmetic with stored times is in SQL: a lint rule refuses, in the stores, a <code>Date</code> computed from another and text made of a <code>Date</code> within a query, and in the API a position made by <code>toISOString</code>.</p><p>Reading every time as text was the alternative. Answers, workflows and tests use times as <code>Date</code> in some 300 places, and each would need a conversion; a conversion that is forgotten is the same fault again.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A new cursor or window over stored times is exact without further care. Times that come from a clock or a request have milliseconds, as before. A deadline that a workflow waits for is compared at the millisecond (<code>rubric_adopt</code>).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0192-times-read-from-postgres-keep-their-microseconds.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0192TimesReadFromPostgresKeepTheirMicroseconds = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0192TimesReadFromPostgresKeepTheirMicroseconds as default
};
