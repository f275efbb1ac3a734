import { AccordError, quote } from '../../errors.js'
import type { PhaseInput } from './resolve-phase.js'

/** Rules by the name of a phase. */
type Preset = Readonly<Record<string, Omit<PhaseInput, 'name'>>>

/** Section 3 of the paper: results on val and test, one upload a day and five in all, the references of test are private. */
const COCO = {
  metrics: ['CIDEr-D', 'METEOR', 'ROUGE-L', 'BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4'],
  rankedBy: 'CIDEr-D',
  decimals: 3,
  limits: { perDay: 1, total: 5 },
} as const

export const PRESETS = {
  'coco-captions-2015': {
    'val-c5': { ...COCO, references: 5 },
    'val-c40': { ...COCO, references: 40 },
    'test-c5': { ...COCO, references: 5, isPrivate: true },
    'test-c40': { ...COCO, references: 40, isPrivate: true },
  },
} satisfies Readonly<Record<string, Preset>>

export type PresetName = keyof typeof PRESETS

/** The phases with the rules of a preset where they do not say otherwise. @throws AccordError INVALID_VALUE for another name */
export function withPreset(name: PresetName, phases: readonly PhaseInput[]): PhaseInput[] {
  const preset: Preset = PRESETS[name]
  return phases.map((phase) => {
    const rules = preset[phase.name]
    if (rules) return { ...rules, ...phase, limits: { ...rules.limits, ...phase.limits } }
    throw new AccordError('INVALID_VALUE', 'the preset has no such phase', {
      source: 'phases.name',
      expected: `one of ${Object.keys(preset).join(', ')}`,
      found: quote(phase.name),
    })
  })
}
