/**
 * The passwords of at least 10 characters among the 10,000 that people use most, from the list of zxcvbn 4.4.2 (Copyright (c) 2012-2016
 * Dan Wheeler and Dropbox, Inc., MIT licence), in lower case.
 */
const COMMON: ReadonlySet<string> = new Set(
  `
0000000000o 0102030405 0192837465 0987654321q 1020304050 1029384756 1122334455 112233445566 1123581321 1213141516
1234509876 1234554321 12345654321 123456654321 1234567890 12345678900 1234567890a 1234567890q 1234567890z 1234567891
12345678910 123456789123 1234567899 123456789987654321 123456789a 123456789abc 123456789d 123456789k 123456789l
123456789m 123456789n 123456789o 123456789p 123456789q 123456789qwe 123456789qwerty 123456789r 123456789s 123456789v
123456789z 123456qwerty 12345qwert 12345qwerty 123hfjdk147 123qweasdzxc 1357908642 1357924680 17171717aa 1a2a3a4a5a
1a2b3c4d5e 1a2s3d4f5g 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw23edc 1z2x3c4v5b 23176djivanfros
3216732167 3rjs1la7qe 4815162342 5hsu75kpot 7894561230 7ugd5hip2j 89600506779 8phrowz622 8phrowz624 9293709b13
987654321a 987654321q a123456789 a1a2a3a4a5 a1b2c3d4e5 a1s2d3f4g5 abracadabra abrakadabra admin18533362 aleksander
aleksandra alessandro alexander1 anastasiya angelofwar armageddon asdfg12345 astalavista azertyuiop babemagnet
badnaamhere blackberry bladerunner bondarenko braveheart businessbabe callofduty casablanca charlie123 cheerleaers
chickenwing101 chocolate1 christophe cocksucker comicbookdb contortionist counterstrike ctdfcnjgjkm cxfcnkbdfz
darthvader deepthroat deutschland devilmaycry dhjnvytyjub dkflbvbhjdbx dkflbvbhjdyf doggystyle domainlock2005
dragonball dragonballz ejaculation enterprise evanescence evangelion finalfantasy fkmnthyfnbdf fktrcfylhf
flvbybcnhfnjh friendster fuck_inside fuckinside fuckmehard fuckyou123 gangbanged gfhjkmgfhjkm ghbdtndctv
ghbdtnrfrltkf ghhh47hj7649 ghjcnbnenrf ghjcnjgfhjkm ghjcnjghjcnj ghostrider goldfinger good123654 greedisgood
groupd2013 gy3yt2rgls harrypotter hd764nw5d7e1vb1 hellokitty highlander hondacivic housewifes htubcnhfwbz ilovepussy
insertions interacial intercourse ironmaiden j3qq4h7h2v jediknight justinbieber knickerless konstantin lamborghini
leavemealone lifeisgood limpbizkit liverpool1 lockerroom losangeles madagaskar mailcreated5240 manchester
mapet123456 masterbaiting masterbate masterbating mastermind masturbation maurolarastefy maximilian metallica1
microphone momsanaladventure montecarlo montgom240 mostwanted motdepasse motherlode multiplelo mypassword
needforspeed newproject2004 nopassword nthvbyfnjh nuttertools opensesame password01 password11 password12
password123 password99 pathfinder penetrating penetration peternorth playstation poiuytrewq pokemon123
polniypizdec0211 pornographic porsche911 postov1000 pufunga7782 pussylicker pussylover q123456789 q1234567890
q1q2q3q4q5 q1w2e3r4t5 q1w2e3r4t5y6 qawsedrftg qazwsxedc1 qazwsxedc123 qazwsxedcrfv qazwsxedcrfvtgb quant4307s
qweasdzxc123 qwerasdfzxcv qwert12345 qwerty1234 qwerty12345 qwerty123456 qwertyuiop realmadrid rfhfvtkmrf rjirfrgbde
rjycnfynby roadrunner ronaldinho salamander salamandra sersolution shevchenko skateboard smallville sojdlg123aljg
solidsnake sonyericsson soso123aljg spartan117 spiderman1 strawberry suckmydick summertime supersonic syncmaster
terminator thunderbird tinkerbell tokiohotel transexual translator uncencored undertaker usuckballz1 vflfufcrfh
vfntvfnbrf vfvfvskfhfve volkswagen vqsablpzla vsjasnel12 wachtwoord watermelon websolutions welcome123 yfnfitymrf
yjdsqgfhjkm z1x2c3v4b5 zaq1xsw2cde3 zcxfcnkbdf zxcasdqwe123 zxcvb12345 zxcvbnm123
`
    .trim()
    .split(/\s+/),
)

/** Whether a password is one of those that are tried first. */
export function isCommonPassword(password: string): boolean {
  return COMMON.has(password.toLowerCase())
}
