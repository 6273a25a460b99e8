import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0206: Search finds any word, in any language","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/catalogue/0206-search-finds-any-word-in-any-language.md","filePath":"adr/catalogue/0206-search-finds-any-word-in-any-language.md"}');
const _sfc_main = { name: "adr/catalogue/0206-search-finds-any-word-in-any-language.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0206-search-finds-any-word-in-any-language" tabindex="-1">0206: Search finds any word, in any language <a class="header-anchor" href="#_0206-search-finds-any-word-in-any-language" aria-label="Permalink to &quot;0206: Search finds any word, in any language&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Extended by <a href="./0285-search-finds-misspelt-words-by-deletions">ADR 0285</a>.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>q</code> was an English query over an English column. Stop words (<code>it</code>, <code>which</code>), signs (<code>C++</code>), words without spaces (<code>翻译</code>) and parts of words (<code>lint</code> in ESLint) found nothing.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Three columns beside each other, each with an index. The English one finds other forms of a word. <code>search_words</code> has all words as they are. For parts of words, <code>search_grams</code> has the characters and pairs of neighbouring characters of name, slug, tags and description, in lower case and NFKC: the index finds the texts that have all pairs of a term, and <code>search_text</code> is then searched for the term itself. An agent matches when one of the three does. Words of one or two Latin letters count as whole words only, because they stand inside of too many others. <code>-word</code> excludes by both word columns; with <code>or</code>, words decide alone. Whole words rank above parts, and a part in the name above one elsewhere.</p><p>The usual index, <code>pg_trgm</code>, extracts nothing from two characters, which is what most Chinese words have, nor from <code>C++</code>; such a search would read every row. It also needs an extension, which not every hosted Postgres allows.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A version has about 16 KiB more for a description of full length. The three conditions are answered by a bitmap of three indexes, so the cost follows the number of matches. <code>the</code> and <code>of</code> find agents whose words contain them.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/catalogue/0206-search-finds-any-word-in-any-language.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0206SearchFindsAnyWordInAnyLanguage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0206SearchFindsAnyWordInAnyLanguage as default
};
