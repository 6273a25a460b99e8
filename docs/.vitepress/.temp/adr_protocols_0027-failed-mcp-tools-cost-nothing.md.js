import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0027: Failed MCP tools cost nothing, text answers become strings, and sessions are not shared","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0027-failed-mcp-tools-cost-nothing.md","filePath":"adr/protocols/0027-failed-mcp-tools-cost-nothing.md"}');
const _sfc_main = { name: "adr/protocols/0027-failed-mcp-tools-cost-nothing.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0027-failed-mcp-tools-cost-nothing-text-answers-become-strings-and-sessions-are-not-shared" tabindex="-1">0027: Failed MCP tools cost nothing, text answers become strings, and sessions are not shared <a class="header-anchor" href="#_0027-failed-mcp-tools-cost-nothing-text-answers-become-strings-and-sessions-are-not-shared" aria-label="Permalink to &quot;0027: Failed MCP tools cost nothing, text answers become strings, and sessions are not shared&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Neither the specification nor the contract decides three questions of self-hosted agents. An MCP tool may answer <code>isError: true</code>: the protocol counts that as an answer, which passes unchanged, while &quot;only successful calls are charged&quot;. A self-hosted agent may answer with any content type, in a reply that is JSON. A legacy MCP server may open a session, which would be cheaper to keep than to open for each call.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A tool&#39;s error result is delivered unchanged on every surface, and the call settles for 0 credits: the status is <code>succeeded</code> (there is an output, a receipt and a replay), and the whole hold returns to the wallet. A JSON-RPC error is not an answer: <code>agent_error</code>, refunded. An answer whose content type is not JSON is a string with <code>content_type</code>; bytes that are not UTF-8 are base64 with <code>output_encoding: &quot;base64&quot;</code>, so that nothing is lost and every reader (replay, receipts, MCP, A2A) sees JSON. Each call opens the session that the server requires and ends it afterwards.</p><p>Rejected: charging for error results (a broken server would earn); failing such calls with a refund (the buyer&#39;s model needs the text to correct itself, and an agent&#39;s failure text otherwise never reaches buyers); lossy text; a pool of sessions per buyer, which saves two round trips and would let one call see another&#39;s state.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A developer who wants to be paid for &quot;not found&quot; answers without <code>isError</code>. The success rate counts such calls as answered. A legacy server costs two more round trips per call; modern servers cost none.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0027-failed-mcp-tools-cost-nothing.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0027FailedMcpToolsCostNothing = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0027FailedMcpToolsCostNothing as default
};
