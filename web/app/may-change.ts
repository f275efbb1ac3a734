import { WhoDocument } from '../generated/documents'
import { accounts } from './accounts'
import { useQuery } from './client'
import { isRecorded } from './transport'

/** Whether the viewer may let the server compute something; where nobody signs in, the server says so when it is asked to. */
export function useMayChange(): boolean {
  const { data } = useQuery(WhoDocument, accounts ? {} : null)
  return !isRecorded && (!accounts || data?.viewer.scopes.includes('HOST') === true)
}
