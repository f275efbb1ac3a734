import { LRUCache } from 'lru-cache'
import MarkdownIt from 'markdown-it'

/**
 * Markdown of users as HTML that can be shown: HTML in it is shown as text, links lead to web pages and mail addresses only, and
 * pictures, which would tell other servers who reads, are left as links.
 */
const markdown = new MarkdownIt({ html: false }).disable('image')

/** Schemes of links. Paths of this server are none: a link could start something. */
markdown.validateLink = (url) => /^(https?:\/\/|mailto:)/i.test(url.trim())

/** Texts that are kept with their HTML: rendering one can take 20 ms. */
const rendered = new LRUCache<string, string>({ max: 100 })

export function renderMarkdown(text: string): string {
  const known = rendered.get(text)
  if (known !== undefined) return known
  const html = markdown.render(text)
  rendered.set(text, html)
  return html
}
