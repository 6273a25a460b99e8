import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0071: Event streams of tasks are counted, and streams of chats are calls","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/protocols/0071-event-streams-of-tasks-are-counted.md","filePath":"adr/protocols/0071-event-streams-of-tasks-are-counted.md"}');
const _sfc_main = { name: "adr/protocols/0071-event-streams-of-tasks-are-counted.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0071-event-streams-of-tasks-are-counted-and-streams-of-chats-are-calls" tabindex="-1">0071: Event streams of tasks are counted, and streams of chats are calls <a class="header-anchor" href="#_0071-event-streams-of-tasks-are-counted-and-streams-of-chats-are-calls" aria-label="Permalink to &quot;0071: Event streams of tasks are counted, and streams of chats are calls&quot;">​</a></h1><p>Status: accepted.</p><ul><li>Extended by <a href="./0198-every-event-stream-takes-a-place">ADR 0198</a>: all streams have a place in the process, too.</li></ul><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>An account without further cost opened 600 event streams of one task. Each holds a connection and a follower, and wakes at each change.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>An account follows tasks by at most <code>EVENT_STREAMS_PER_ACCOUNT</code> (10) event streams in an API process: <code>SendStreamingMessage</code> and <code>SubscribeToTask</code>, in both bindings. The next one is 429 <code>concurrency_limited</code> before a task is created. A stream of a chat is a call that is paid for; <code>MAX_IN_FLIGHT_PER_BUYER</code> limits it, so that a program can serve many users by one account.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A client that follows more tasks than that polls them, or uses push notifications.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/protocols/0071-event-streams-of-tasks-are-counted.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0071EventStreamsOfTasksAreCounted = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0071EventStreamsOfTasksAreCounted as default
};
