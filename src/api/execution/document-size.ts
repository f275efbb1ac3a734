import {
  type DocumentNode,
  Kind,
  Lexer,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  visit,
} from 'graphql'
import { refusal } from '../http/bad-input.js'
import { LIMITS } from './limits.js'

/**
 * Checks the size of a document in linear time. The time and the memory for its validation grow faster than its size, so it
 * is measured first. Syntax errors are left to the parser.
 *
 * @throws GraphQLError BAD_USER_INPUT for too many characters, GRAPHQL_VALIDATION_FAILED for too many tokens or selections
 */
export function checkDocumentSize(text: string): void {
  if (text.length > LIMITS.document) {
    const message = `The document is too long: expected at most ${LIMITS.document} characters, found ${text.length}.`
    throw refusal(message, 'BAD_USER_INPUT')
  }
  const tokens = countTokens(text)
  if (tokens > LIMITS.tokens) throw tooLarge(`at most ${LIMITS.tokens} tokens`)
  // A selection has at least one token.
  if (tokens > LIMITS.selections) checkSelections(text)
}

/** The number of tokens, including comments; documents keep those too. */
function countTokens(text: string): number {
  const lexer = new Lexer(new Source(text))
  let count = 0
  try {
    do {
      // The token before may be a comment, which the lexer passes over.
      for (let token = lexer.advance().prev; token?.kind === TokenKind.COMMENT; token = token.prev) count++
      count++
    } while (lexer.token.kind !== TokenKind.EOF && count <= LIMITS.tokens)
  } catch {
    // A syntax error.
  }
  return count
}

function checkSelections(text: string): void {
  let document: DocumentNode
  try {
    document = parse(text, { noLocation: true })
  } catch {
    return
  }
  visit(document, {
    [Kind.SELECTION_SET]({ selections }: SelectionSetNode) {
      if (selections.length > LIMITS.selections) {
        throw tooLarge(`at most ${LIMITS.selections} fields and fragments in one selection set`)
      }
    },
  })
}

function tooLarge(expected: string) {
  return refusal(`The document is too large: expected ${expected}, found more.`, 'GRAPHQL_VALIDATION_FAILED')
}
