// Mistakes around bodies that are passed on and tokens that are counted, in the format of `bugs.mjs`. Each name begins
// with `conversation`.

const ITEMS = 'test/adversary/passed-items.spec';
const PARTS = 'test/adversary/many-parts.spec';
const CACHED = 'test/adversary/cached-tokens.spec';
const METER = 'src/work/chat/completions/meter.spec';
const THOUGHTS = 'test/adversary/reasoning-tokens.spec';

const GROWING = 'test/adversary/growing-holds.spec';
const HOLDS = 'test/compatible/growing-holds.spec';

export const CONVERSATION_BUGS = [
  {
    name: 'conversation: a stored file beside an image of Responses passes',
    file: 'src/models/conversation/responses-body.ts',
    find: '        refuseBeside(part, others, path);\n',
    replace: '        void others;\n',
    tests: [ITEMS, 'a stored file beside an image'],
  },
  {
    name: 'conversation: an address counts as the bytes of a file',
    file: 'src/models/conversation/responses-body.ts',
    find: "typeof source !== 'string' || !source.startsWith('data:')",
    replace: "typeof source !== 'string'",
    tests: [ITEMS, 'an address as a file'],
  },
  {
    name: 'conversation: the description of a namespace is not screened',
    file: 'src/models/conversation/responses-body.ts',
    find: 'more: [first.more, beyond(tool, NAMESPACE, at, this.findings)]',
    replace: 'more: first.more',
    tests: [ITEMS, 'the description of a namespace'],
  },
  {
    name: 'conversation: a replaced tool is not screened',
    file: 'src/models/conversation/responses-body.ts',
    find: '{ ...tool, more: [tool.more, older] }',
    replace: 'tool',
    tests: [ITEMS, 'a tool that a later one replaces'],
  },
  {
    name: 'conversation: a search of the maker is passed on',
    file: 'src/models/conversation/responses-body.ts',
    find: '        this.findings.ignore(at);\n        return false;',
    replace: '        this.findings.ignore(at);\n        return true;',
    tests: [ITEMS, 'is passed on without the searches of the maker'],
  },
  {
    name: 'conversation: each call copies the parts of its turn',
    file: 'src/models/conversation/responses-body.ts',
    find: "    if (last?.role === 'assistant') last.parts.push(part);\n",
    replace:
      "    if (last?.role === 'assistant')\n      this.turns[this.turns.length - 1] = { ...last, parts: [...last.parts, part] };\n",
    tests: [PARTS, '98,000 thoughts'],
  },
  {
    name: 'conversation: each result of Gemini searches all calls',
    file: 'src/models/conversation/gemini-body.ts',
    find: '    while (waiting.calls[waiting.next]?.isOpen === false) waiting.next += 1;\n',
    replace:
      '    waiting.next = [...this.byName.values()].findIndex((each) => each === waiting) < 0 ? -1 : waiting.next;\n    while (waiting.calls[waiting.next]?.isOpen === false) waiting.next += 1;\n',
    tests: [PARTS, 'results in the opposite order'],
  },
  {
    name: 'conversation: all words of a call are arguments of one push',
    file: 'src/models/conversation/passages.ts',
    find: '  for (const word of wordsIn(value)) words.push(word);\n',
    replace: '  words.push(...wordsIn(value));\n',
    tests: [PARTS, 'a call with 98,000 arguments'],
  },
  {
    name: 'conversation: the screening of many turns never pauses',
    file: 'src/work/chat/completions/completions-screening.ts',
    find: '      if (chars > CHARS_AT_ONCE) {',
    replace: '      if (chars > CHARS_AT_ONCE * 1_000) {',
    tests: [PARTS, 'lets the process serve others'],
  },
  {
    name: 'conversation: cache reads cost as much as other input',
    file: 'src/models/catalog/chat-price-calculator.ts',
    find: 'BigInt(read) * cacheRead',
    replace: 'BigInt(read) * input',
    tests: [CACHED, 'are charged at their own rates'],
  },
  {
    name: 'conversation: the hold leaves out that a prompt may be cached',
    file: 'src/models/catalog/rates.ts',
    find: "['input', 'cacheRead', 'cacheWrite', 'inputImage']",
    replace: "['input']",
    tests: [CACHED, 'are held at the dearest rate'],
  },
  {
    name: 'conversation: a vendor may read more tokens from its cache than the prompt has',
    file: 'src/models/catalog/chat-price-calculator.ts',
    find: 'bounded(counted.cacheReadTokens, prompt - sound - seen)',
    replace: 'bounded(counted.cacheReadTokens, COUNT_MAX)',
    tests: ['src/models/catalog/route-costs.spec', 'is never below 0'],
  },
  {
    name: 'conversation: cache writes of a prompt are free',
    file: 'src/models/catalog/chat-price-calculator.ts',
    find: '    BigInt(written - forAnHour) * cacheWrite +\n',
    replace: '',
    tests: [METER, 'charges each of them at its own rate'],
  },
  {
    name: 'prices: a step holds from its number of tokens on',
    file: 'src/models/providers/token-prices.ts',
    find: 'promptTokens > step.tokens',
    replace: 'promptTokens >= step.tokens',
    tests: ['src/models/catalog/rates.spec', 'hold for all tokens of a call'],
  },
  {
    name: 'prices: a batch sells a model of the book below its cost',
    file: 'src/models/catalog/chat-price-calculator.ts',
    find: 'discounted(tokens, percent, smaller(tokens, unmarked(tokens, markup)))',
    replace: 'discounted(tokens, percent, micro(0n))',
    tests: ['src/models/catalog/rates.spec', 'is the most that a discount takes'],
  },
  {
    name: 'prices: a discount makes a model dearer that sells below its cost',
    file: 'src/models/catalog/chat-price-calculator.ts',
    find: 'discounted(tokens, percent, smaller(tokens, unmarked(tokens, markup)))',
    replace: 'discounted(tokens, percent, unmarked(tokens, markup))',
    tests: ['src/models/catalog/rates.spec', 'is the most that a discount takes'],
  },
  {
    name: 'prices: an agreement to a held price holds for the next mistake too',
    file: 'src/models/catalog/listed/list-comparison.ts',
    find: '!(agreed.at.getTime() < Date.parse(heldAt) - CLOCK_MS_MAX)',
    replace: 'true',
    tests: ['src/models/catalog/listed/listed-models.spec', 'is the price after an operator agreed'],
  },
  {
    name: 'models: a call that names a release goes to the newest one',
    file: 'src/models/catalog/catalog.ts',
    find: '[{ ...route, model: own }]',
    replace: '[route]',
    tests: ['test/catalog/listed.spec', 'reach the vendor under the name of the release'],
  },
  {
    name: 'models: a held price refuses the repetition of a paid call',
    file: 'src/models/catalog/catalog.ts',
    find: 'if (id !== undefined && this.refused.has(id)) return this.unsoldModel(id);',
    replace: 'if (id !== undefined && this.refused.has(id)) throw new NothingServes(id);',
    tests: ['test/catalog/held-while-paid.spec', 'because its price is none'],
  },
  {
    name: 'prices: a prompt of two bytes a token is sent to a vendor that bills its tokens',
    file: 'src/models/catalog/route-costs.ts',
    find: ' / (prices.input * BigInt(n)) - ADDED_TOKENS',
    replace: ' / ((prices.input * BigInt(n)) / 2n) - ADDED_TOKENS',
    tests: ['test/generation/prompts-by-token.spec', 'gets only prompts whose tokens'],
  },
  {
    name: 'prices: the book means every name that begins like one of its models',
    file: 'src/models/catalog/book/price-book.ts',
    find: '  return isFound && isBegun && ENDING.test(name.slice(at + part.length));\n',
    replace: '  return isFound;\n',
    tests: ['src/models/catalog/book/price-book.spec', 'claude-sonnet-5-5'],
  },
  {
    name: 'conversation: thoughts that are counted apart are free',
    file: 'src/models/providers/openai/openai.wire.ts',
    find: '  return isApart ? thought : 0;\n',
    replace: '  return isApart ? 0 : 0;\n',
    tests: [THOUGHTS, 'beside the written tokens'],
  },
  {
    name: 'conversation: thoughts among the written tokens are charged twice',
    file: 'src/models/providers/openai/openai.wire.ts',
    find: 'total >= promptTokens + completionTokens + thought',
    replace: 'total > 0',
    tests: [THOUGHTS, 'among the written tokens'],
  },
  {
    name: 'conversation: parallel answers are each promised all of the money',
    file: 'src/work/chat/completions/conversations.ts',
    find: 'tokensAt(await money.promised())',
    replace: 'tokensAt(await money.affordable())',
    tests: [GROWING, 'promises the free money'],
  },
  {
    name: 'conversation: a hold grows past what the caller agrees to',
    file: 'src/money/billing/calls/charge.service.ts',
    find: 'list: most ?? (',
    replace: 'list: 10n * (most ?? 0n) || (',
    tests: [HOLDS, 'never exceeds what the caller agrees to'],
  },
  {
    name: 'conversation: a step is taken out of no reserve',
    file: 'src/money/billing/ledger/ledger.sql.ts',
    find: 'update key_reserve r set left_micro = r.left_micro - o.more',
    replace: 'update key_reserve r set left_micro = r.left_micro',
    tests: [HOLDS, 'a reserve of its own'],
  },
  {
    name: 'conversation: a step does not count against the limit of a key',
    file: 'src/money/billing/ledger/ledger.sql.ts',
    find: 'update key_spend s set spent_micro = s.spent_micro + o.more',
    replace: 'update key_spend s set spent_micro = s.spent_micro',
    tests: [HOLDS, 'a limit of the key'],
  },
  {
    name: 'conversation: a hold grows for a key that has ended',
    file: 'src/money/billing/ledger/ledger.sql.ts',
    find: 'and ($3::text is null or payer_lives($3::text)) and',
    replace: 'and',
    tests: [HOLDS, 'ended meanwhile'],
  },
  {
    name: 'conversation: the use above the hold is free',
    file: 'src/money/billing/calls/work-by-use.ts',
    find: 'if (used > hold.held) {',
    replace: 'if (used < 0n) {',
    tests: [HOLDS, 'takes the real use above it'],
  },
];
