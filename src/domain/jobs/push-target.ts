/** Where an A2A agent notifies about the task of a call, and the token that it sends with each notification. */
export interface PushTarget {
  url: string;
  token: string;
}
