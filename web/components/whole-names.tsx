/** A text in which no line ends at the hyphen of a name such as CIDEr-D or BLEU-4. */
export function WholeNames({ text }: { readonly text: string }) {
  return text.split(/(\w+-\w\b)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={index} class="whole">
        {part}
      </span>
    ),
  )
}
