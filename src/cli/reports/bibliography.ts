import type { BibliographyEntry } from '../output/section.js'

/** The papers of metrics, as BibTeX: whoever adds a metric adds its paper. */

const ENTRIES = {
  papineni2002bleu: {
    type: 'inproceedings',
    author: 'Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing',
    title: '{BLEU}: a Method for Automatic Evaluation of Machine Translation',
    booktitle: 'Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics',
    pages: '311--318',
    year: '2002',
  },
  lin2004rouge: {
    type: 'inproceedings',
    author: 'Lin, Chin-Yew',
    title: '{ROUGE}: A Package for Automatic Evaluation of Summaries',
    booktitle: 'Text Summarization Branches Out',
    pages: '74--81',
    year: '2004',
  },
  denkowski2014meteor: {
    type: 'inproceedings',
    author: 'Denkowski, Michael and Lavie, Alon',
    title: 'Meteor Universal: Language Specific Translation Evaluation for Any Target Language',
    booktitle: 'Proceedings of the Ninth Workshop on Statistical Machine Translation',
    pages: '376--380',
    year: '2014',
  },
  vedantam2015cider: {
    type: 'inproceedings',
    author: 'Vedantam, Ramakrishna and Zitnick, C. Lawrence and Parikh, Devi',
    title: '{CIDEr}: Consensus-based Image Description Evaluation',
    booktitle: 'Proceedings of the IEEE Conference on Computer Vision and Pattern Recognition',
    pages: '4566--4575',
    year: '2015',
  },
  anderson2016spice: {
    type: 'inproceedings',
    author: 'Anderson, Peter and Fernando, Basura and Johnson, Mark and Gould, Stephen',
    title: '{SPICE}: Semantic Propositional Image Caption Evaluation',
    booktitle: 'European Conference on Computer Vision',
    pages: '382--398',
    year: '2016',
  },
  liu2017spider: {
    type: 'inproceedings',
    author: 'Liu, Siqi and Zhu, Zhenhai and Ye, Ning and Guadarrama, Sergio and Murphy, Kevin',
    title: 'Improved Image Captioning via Policy Gradient Optimization of {SPIDEr}',
    booktitle: 'Proceedings of the IEEE International Conference on Computer Vision',
    pages: '873--881',
    year: '2017',
  },
  kusner2015wmd: {
    type: 'inproceedings',
    author: 'Kusner, Matt J. and Sun, Yu and Kolkin, Nicholas I. and Weinberger, Kilian Q.',
    title: 'From Word Embeddings To Document Distances',
    booktitle: 'Proceedings of the 32nd International Conference on Machine Learning',
    pages: '957--966',
    year: '2015',
  },
  kilickaya2017reevaluating: {
    type: 'inproceedings',
    author: 'Kilickaya, Mert and Erdem, Aykut and Ikizler-Cinbis, Nazli and Erdem, Erkut',
    title: 'Re-evaluating Automatic Metrics for Image Captioning',
    booktitle:
      'Proceedings of the 15th Conference of the European Chapter of the Association for Computational Linguistics',
    pages: '199--209',
    year: '2017',
  },
  rohrbach2018chair: {
    type: 'inproceedings',
    author: 'Rohrbach, Anna and Hendricks, Lisa Anne and Burns, Kaylee and Darrell, Trevor and Saenko, Kate',
    title: 'Object Hallucination in Image Captioning',
    booktitle: 'Proceedings of the 2018 Conference on Empirical Methods in Natural Language Processing',
    pages: '4035--4045',
    year: '2018',
  },
  sharif2018composite: {
    type: 'inproceedings',
    author: 'Sharif, Naeha and White, Lyndon and Bennamoun, Mohammed and Shah, Syed Afaq Ali',
    title: 'Learning-based Composite Metrics for Improved Caption Evaluation',
    booktitle: 'Proceedings of ACL 2018, Student Research Workshop',
    pages: '14--20',
    year: '2018',
  },
  popovic2015chrf: {
    type: 'inproceedings',
    author: 'Popović, Maja',
    title: '{chrF}: character n-gram {F}-score for automatic {MT} evaluation',
    booktitle: 'Proceedings of the Tenth Workshop on Statistical Machine Translation',
    pages: '392--395',
    year: '2015',
  },
  chen2015coco: {
    type: 'article',
    author:
      'Chen, Xinlei and Fang, Hao and Lin, Tsung-Yi and Vedantam, Ramakrishna and Gupta, Saurabh and Dollár, Piotr and Zitnick, C. Lawrence',
    title: 'Microsoft {COCO} Captions: Data Collection and Evaluation Server',
    journal: 'arXiv preprint arXiv:1504.00325',
    year: '2015',
  },
} as const satisfies Readonly<Record<string, Omit<BibliographyEntry, 'key'>>>

type Key = keyof typeof ENTRIES

/** By the name of a metric, or how its name begins. */
const PAPERS: readonly (readonly [pattern: RegExp, keys: readonly Key[]])[] = [
  [/^BLEU/, ['papineni2002bleu']],
  [/^ROUGE/, ['lin2004rouge']],
  [/^METEOR$/, ['denkowski2014meteor']],
  [/^CIDEr/, ['vedantam2015cider']],
  [/^SPICE/, ['anderson2016spice']],
  [/^SPIDEr$/, ['liu2017spider']],
  [/^WMD$/, ['kusner2015wmd', 'kilickaya2017reevaluating']],
  [/^chrF/, ['popovic2015chrf']],
  [/CHAIR|object-recall$/, ['rohrbach2018chair']],
]

/** The leave-one-out scores of people. */
export const AGREEMENT_PAPER: Key = 'chen2015coco'

/** Keys of the papers of a metric; none of one that has no paper, as those of other programs. @param isComposite whether it was trained */
export function papersOf(metric: string, isComposite: boolean): readonly Key[] {
  if (isComposite) return ['sharif2018composite']
  return PAPERS.find(([pattern]) => pattern.test(metric))?.[1] ?? []
}

/** Entries in the order of their keys, each once. */
export function bibliographyOf(keys: readonly Key[]): BibliographyEntry[] {
  return [...new Set(keys)].map((key) => ({ key, ...ENTRIES[key] }))
}
