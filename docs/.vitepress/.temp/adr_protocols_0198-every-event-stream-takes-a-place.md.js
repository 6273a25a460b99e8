import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0198: Every event stream takes a place, ends, and closes with its credential","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0198-every-event-stream-takes-a-place.md","filePath":"adr/protocols/0198-every-event-stream-takes-a-place.md"}');
const _sfc_main = { name: "adr/protocols/0198-every-event-stream-takes-a-place.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0198-every-event-stream-takes-a-place-ends-and-closes-with-its-credential" tabindex="-1">0198: Every event stream takes a place, ends, and closes with its credential <a class="header-anchor" href="#_0198-every-event-stream-takes-a-place-ends-and-closes-with-its-credential" aria-label="Permalink to &quot;0198: Every event stream takes a place, ends, and closes with its credential&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Extends <a href="./0071-event-streams-of-tasks-are-counted">ADR 0071</a>: all streams have a place in the process, too.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p><code>GET /v1/listings/events</code> had no limit: an account opened 1,000 streams, each read the database once a second, and all stayed open after their key had been deleted. Streams of accounts&#39; events and of tasks had places for each account, and no limit for all.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li>A stream needs a place: <code>EVENT_STREAMS_PER_ACCOUNT</code> (10) for its account and <code>EVENT_STREAMS</code> (1,000) for all of its kind in an API process. The next one is <code>concurrency_limited</code>.</li><li>One reader in each process reads changes of listings for all streams, as it does for accounts&#39; events (ADR 0120). A stream that resumes, or that is too slow, reads the database itself until it has caught up.</li><li>Streams of listings and of events end after 5 minutes, and their client resumes. Streams of tasks end with their task.</li><li>Every 5 s, the process reads the credentials of its open streams, once for each key or session. A stream whose key was deleted or whose session ended is closed. A check that cannot be made changes nothing.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Open streams cost at most one small read for each credential in 5 s. A deleted key reads for 5 s longer.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0198-every-event-stream-takes-a-place.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0198EveryEventStreamTakesAPlace = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0198EveryEventStreamTakesAPlace as default
};
