import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { WholeNames } from '../../../web/components/whole-names'

it('keeps the letter or digit of a metric on its line, and lets other words break at their hyphens', () => {
  expect(renderToString(h(WholeNames, { text: 'wu-2016 by CIDEr-D, BLEU-4; leave-one-out' }))).toBe(
    'wu-2016 by <span class="whole">CIDEr-D</span>, <span class="whole">BLEU-4</span>; leave-one-out',
  )
})
