/** The input that a visitor has typed before the login; the browser keeps it until the form is shown again. */
export function draftOf(agentId: string) {
  const name = `try ${agentId}`;
  return {
    keep: (input: Record<string, unknown>) => sessionStorage.setItem(name, JSON.stringify(input)),
    read(): Record<string, unknown> | undefined {
      const kept = sessionStorage.getItem(name);
      return kept === null ? undefined : (JSON.parse(kept) as Record<string, unknown>);
    },
    forget: () => sessionStorage.removeItem(name),
  };
}
