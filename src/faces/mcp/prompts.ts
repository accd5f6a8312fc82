import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';

type Words = Readonly<Record<string, string>>;

interface Recipe extends Prompt {
  readonly text: (words: Words) => string;
}

const RECIPES: readonly Recipe[] = [
  {
    name: 'illustrate',
    title: 'Illustrate a text',
    description: 'Makes one image for a text, within a budget.',
    arguments: [
      { name: 'text', description: 'What the image is for.', required: true },
      { name: 'budgetUsd', description: 'The most that it may cost, in US dollars.' },
    ],
    text: ({ text = '', budgetUsd = '0.10' }) =>
      `Make one image for the text below. Write a prompt of one sentence for it: subject, light, style. Ask quote for ` +
      `the default model; if it costs more than $${budgetUsd}, choose a cheaper one from list_models. Then call ` +
      `generate_image with that quoteId, and show the image with its address and what it cost.\n\n${text}`,
  },
  {
    name: 'make_video',
    title: 'Make a short video',
    description: 'Makes a video from an idea: quotes it, starts it, and waits for it.',
    arguments: [
      { name: 'idea', description: 'What should be seen.', required: true },
      { name: 'budgetUsd', description: 'The most that it may cost, in US dollars.' },
    ],
    text: ({ idea = '', budgetUsd = '1.00' }) =>
      `Make a short video of the idea below for at most $${budgetUsd}. Find a model in list_models whose shortest ` +
      'duration fits the budget, and confirm the price with quote. Call generate_video with maxPriceMicro set to the ' +
      'budget, then wait_for_job until it says done. Show the address and what it cost; when it failed say so, it is ' +
      `refunded by itself.\n\n${idea}`,
  },
];

export const PROMPTS: readonly Prompt[] = RECIPES.map(({ text: _, ...prompt }) => prompt);

/** The prompt with the caller's arguments; undefined if there is no prompt with that name. */
export const promptOf = (name: string, words: Words): GetPromptResult | undefined => {
  const recipe = RECIPES.find((one) => one.name === name);
  return recipe === undefined
    ? undefined
    : {
        description: recipe.description ?? '',
        messages: [{ role: 'user', content: { type: 'text', text: recipe.text(words) } }],
      };
};
