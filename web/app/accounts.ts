/**
 * Who may sign up to a server with accounts; nobody can sign in to one that is read-only. Undefined for an open server, and where
 * there is none. The server writes it into the page, so that only pages of servers with accounts ask who the viewer is.
 */
export const accounts = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="accord-accounts"]')
  ?.content as 'OPEN' | 'INVITED' | 'READ_ONLY' | undefined
