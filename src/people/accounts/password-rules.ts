export const NEW_PASSWORD = { min: 10, max: 200, about: 'At least 10 characters.' } as const;

/** Most leaked passwords begin with one of these words. The check first reverses the usual replacements of letters. */
const WORDS = new Set(
  `password passwort passphrase motdepasse contrasena senha qwerty qwertz azerty qwertyuiop qwertzuiop azertyuiop asdfghjkl
  zxcvbnm qazwsx qazwsxedc qwerasdf asdfasdf letmein welcome iloveyou admin administrator root superuser changeme default
  football baseball basketball superman batman spiderman starwars pokemon princess sunshine monkey dragon shadow master
  michael jennifer jordan hunter trustno computer internet samsung google facebook whatever freedom butterfly liverpool
  chelsea arsenal chocolate cheese flower summer winter spring autumn secret login access test testing tester hello
  helloworld helloworlds abc abcd abcde abcdef abcdefg qwe qweasd qweasdzxc asdqwe zaqxsw lamppost iloveu loveme lovely
  mypassword thisisapassword newpassword yourpassword passwordpassword adminadmin testtest welcomewelcome qwertyqwerty
  correcthorsebatterystaple`.split(/\s+/),
);

/**
 * Rows of a keyboard, and other sequences. A password is common if it is a part of a sequence, forwards or backwards.
 */
const SEQUENCES = [
  '01234567890123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1q2w3e4r5t6z7u8i9o0p',
  '1q2w3e4r5t6y7u8i9o0p',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'zaq12wsxcde34rfvbgt56yhn',
  '1a2b3c4d5e6f7g8h9i0j',
];

const SWAPS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

const reversed = (text: string): string => [...text].reverse().join('');

const isSequence = (text: string): boolean =>
  SEQUENCES.some((sequence) => sequence.includes(text) || reversed(sequence).includes(text));

/** `abab` is two times `ab`. */
const isRepeated = (text: string): boolean => /^(.{1,4})\1+.{0,3}$/s.test(text);

/**
 * Whether attackers try this password early. They try common words with digits, rows of the keyboard, repetitions, and
 * the name in the person's own address.
 */
export const isCommonPassword = (password: string, email = ''): boolean => {
  const plain = password.normalize('NFKC').toLowerCase();
  if (isRepeated(plain) || isSequence(plain)) return true;
  const bareOf = (text: string): string => text.replace(/[\s._-]+/g, '');
  const letters = bareOf(plain);
  const bare = letters.replace(/^[^a-z]+|[^a-z]+$/g, '');
  const core = [...letters.replace(/[\d!?.*#]+$/, '')].map((one) => SWAPS[one] ?? one).join('');
  const [name = ''] = email.toLowerCase().split('@');
  const own = [email.toLowerCase(), name].map(bareOf);
  return [letters, bare, core].some((word) => word !== '' && (WORDS.has(word) || own.includes(word)));
};
