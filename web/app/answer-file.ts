import {
  type AnyVariables,
  type GraphQLRequest,
  getOperationName,
  stringifyDocument,
  stringifyVariables,
} from '@urql/core'

/** Name of the file with the recorded answer: that of the operation, and a hash of its document and variables. */
export function answerFile({
  query,
  variables,
}: Pick<GraphQLRequest<unknown, AnyVariables>, 'query' | 'variables'>): string {
  const text = stringifyDocument(query) + stringifyVariables(variables ?? {})
  return `${getOperationName(query)}-${hash(text)}.json`
}

/** cyrb53, 53 bits: browsers have SHA only in secure contexts, and the hash of urql has 32 bits, which collide. */
function hash(text: string): string {
  let [one, two] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index++) {
    one = Math.imul(one ^ text.charCodeAt(index), 2654435761)
    two = Math.imul(two ^ text.charCodeAt(index), 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909)
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return (4294967296 * (2097151 & two) + (one >>> 0)).toString(36)
}
