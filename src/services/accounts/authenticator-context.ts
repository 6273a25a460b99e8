/** The sealing context of an authenticator's secret. */
export function authenticatorContext(userId: string): Record<string, string> {
  return { purpose: 'authenticator', user_id: userId };
}
