/** Captions of our own with Penn Treebank tags. None of them is in the training data of the tagger. */
export const TAGGED_CAPTIONS = `
a/DT grey/JJ kitten/NN sleeps/VBZ beside/IN a/DT black/JJ dog/NN
two/CD brown/JJ bears/NNS are/VBP fishing/VBG in/IN a/DT stream/NN
the/DT microwave/NN is/VBZ above/IN the/DT stove/NN
a/DT skier/NN glides/VBZ across/IN a/DT snowy/JJ field/NN
a/DT cozy/JJ living/NN room/NN with/IN a/DT brown/JJ rug/NN
a/DT goat/NN stands/VBZ on/IN a/DT grassy/JJ hill/NN
grey/JJ clouds/NNS over/IN a/DT sandy/JJ beach/NN
the/DT bathroom/NN has/VBZ two/CD white/JJ sinks/NNS
an/DT old/JJ ship/NN sinks/VBZ in/IN the/DT sea/NN
a/DT polar/JJ bear/NN is/VBZ swimming/VBG near/IN some/DT ice/NN
three/CD women/NNS are/VBP walking/VBG their/PRP$ dogs/NNS in/IN a/DT park/NN
a/DT boy/NN who/WP is/VBZ wearing/VBG a/DT red/JJ cap/NN
a/DT girl/NN wants/VBZ to/TO feed/VB the/DT ducks/NNS
a/DT man/NN tries/VBZ to/TO open/VB a/DT bottle/NN of/IN wine/NN
the/DT open/JJ window/NN of/IN a/DT train/NN
a/DT woman/NN opens/VBZ a/DT big/JJ umbrella/NN
people/NNS walk/VBP along/IN a/DT crowded/JJ street/NN
a/DT family/NN on/IN a/DT walk/NN through/IN the/DT forest/NN
a/DT cup/NN of/IN hot/JJ tea/NN next/JJ to/TO a/DT slice/NN of/IN cake/NN
a/DT chef/NN slices/VBZ a/DT tomato/NN with/IN a/DT sharp/JJ knife/NN
four/CD slices/NNS of/IN bread/NN on/IN a/DT cutting/NN board/NN
a/DT plane/NN flies/VBZ over/IN the/DT tall/JJ buildings/NNS
flies/NNS on/IN a/DT piece/NN of/IN meat/NN
a/DT man/NN watches/VBZ a/DT soccer/NN game/NN on/IN television/NN
three/CD watches/NNS in/IN a/DT glass/NN case/NN
a/DT train/NN leaves/VBZ a/DT small/JJ station/NN
yellow/JJ leaves/NNS cover/VBP the/DT ground/NN
a/DT young/JJ couple/NN rides/VBZ a/DT motorcycle/NN
rides/NNS at/IN an/DT amusement/NN park/NN
they/PRP have/VBP finished/VBN their/PRP$ lunch/NN
he/PRP is/VBZ holding/VBG his/PRP$ phone/NN in/IN one/CD hand/NN
she/PRP looks/VBZ at/IN herself/PRP in/IN a/DT mirror/NN
it/PRP is/VBZ a/DT cold/JJ winter/NN day/NN
there/EX are/VBP many/JJ boats/NNS in/IN the/DT harbor/NN
this/DT is/VBZ a/DT picture/NN of/IN an/DT empty/JJ classroom/NN
a/DT bench/NN covered/VBN in/IN snow/NN
a/DT parked/JJ scooter/NN in/IN an/DT alley/NN
trucks/NNS parked/VBN in/IN front/NN of/IN a/DT warehouse/NN
a/DT stuffed/JJ rabbit/NN on/IN a/DT shelf/NN
a/DT plate/NN filled/VBN with/IN grilled/JJ vegetables/NNS
a/DT horse/NN being/VBG led/VBN by/IN a/DT girl/NN
the/DT ball/NN was/VBD hit/VBN by/IN a/DT player/NN
a/DT player/NN hit/VBD the/DT ball/NN over/IN the/DT net/NN
a/DT batter/NN is/VBZ ready/JJ to/TO hit/VB the/DT ball/NN
a/DT larger/JJR elephant/NN follows/VBZ a/DT smaller/JJR elephant/NN
the/DT tallest/JJS building/NN in/IN the/DT city/NN
a/DT very/RB long/JJ train/NN slowly/RB crosses/VBZ a/DT bridge/NN
a/DT dog/NN and/CC a/DT cat/NN sit/VBP on/IN the/DT same/JJ chair/NN
some/DT people/NNS do/VBP not/RB wear/VB helmets/NNS
a/DT cat/NN that/WDT ca/MD n't/RB reach/VB the/DT food/NN
the/DT child/NN 's/POS toys/NNS are/VBP on/IN the/DT floor/NN
you/PRP can/MD see/VB a/DT church/NN behind/IN the/DT trees/NNS
a/DT can/NN of/IN paint/NN on/IN a/DT ladder/NN
a/DT sign/NN which/WDT says/VBZ that/IN parking/NN is/VBZ free/JJ
a/DT worker/NN repairs/VBZ the/DT roof/NN of/IN a/DT house/NN
a/DT street/NN vendor/NN sells/VBZ fruit/NN and/CC nuts/NNS
a/DT light/NN hangs/VBZ above/IN the/DT dinner/NN table/NN
a/DT light/JJ green/JJ wall/NN
a/DT candle/NN lights/VBZ the/DT dark/JJ room/NN
an/DT orange/NN and/CC two/CD apples/NNS
an/DT orange/JJ fish/NN in/IN a/DT tank/NN
a/DT remote/JJ village/NN in/IN the/DT mountains/NNS
when/WRB the/DT sun/NN sets/VBZ
a/DT chess/NN set/NN on/IN a/DT wooden/JJ table/NN
the/DT table/NN is/VBZ set/VBN for/IN four/CD people/NNS
a/DT man/NN in/IN a/DT wheelchair/NN plays/VBZ basketball/NN
a/DT play/NN on/IN a/DT stage/NN
a/DT woman/NN bathes/VBZ her/PRP$ baby/NN in/IN a/DT sink/NN
several/JJ skateboarders/NNS practice/VBP at/IN a/DT skate/NN park/NN
a/DT surfer/NN falls/VBZ into/IN the/DT water/NN
a/DT water/NN fall/NN in/IN a/DT green/JJ valley/NN
a/DT kite/NN shaped/VBN like/IN a/DT dragon/NN
a/DT wooden/JJ table/NN with/IN a/DT laptop/NN ,/, a/DT mouse/NN and/CC a/DT lamp/NN ./.
`
  .trim()
  .split('\n')
  .map((line) =>
    line.split(' ').map((token) => {
      const slash = token.lastIndexOf('/')
      return { word: token.slice(0, slash), tag: token.slice(slash + 1) }
    }),
  )
