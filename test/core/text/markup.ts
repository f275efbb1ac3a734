import type { MarkedText } from '../../../src/core/text/mention-markup.js'

/** Markup of a text with mentions: the inverse of `parseMentionMarkup`. */
export function toMarkup({ text, mentions }: MarkedText): string {
  const escaped = (part: string) => part.replace(/[[\]\\]/g, '\\$&')
  let end = 0
  const parts = mentions.map((mention) => {
    const before = escaped(text.slice(end, mention.start))
    end = mention.end
    return `${before}[${escaped(mention.text)}](${mention.boxIds.join(',')})`
  })
  return parts.join('') + escaped(text.slice(end))
}
