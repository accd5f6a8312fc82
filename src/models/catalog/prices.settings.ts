import { type Micro, micro } from '#kernel/money';
import { Pattern, Whole } from '#platform/config/variables';
import { type SettingsOf, defineSettings } from '#platform/config/settings';

class PriceVariables {
  @Whole(1, 1_000_000_000) readonly PRICE_CHAT_FLOOR_MICRO: number = 2_000;
  @Whole(1, 1_000_000_000) readonly PRICE_CHAT_CAP_MICRO: number = 841_144;
  @Pattern(/^\d{1,6}\/\d{1,6}$/, 'a ratio such as 10/3') readonly PRICE_CHAT_MARKUP: string = '10/3';
  @Pattern(/^\d{1,6}\/\d{1,6}$/, 'a ratio such as 5/4') readonly PRICE_BOOK_MARKUP: string = '5/4';
  @Whole(1, 1_000_000_000) readonly PRICE_MEDIA_FLOOR_MICRO: number = 4_546;
  @Whole(1, 1_000_000_000) readonly PRICE_MEDIA_CAP_MICRO: number = 83_076_924;
  @Pattern(/^\d{1,6}\/\d{1,6}$/, 'a ratio such as 20/13') readonly PRICE_MEDIA_MARKUP: string = '20/13';
}

/** A ratio of whole numbers, because no float touches money. */
export interface Ratio {
  readonly times: bigint;
  readonly over: bigint;
}

export interface PriceRules {
  readonly chatFloor: Micro;
  readonly chatCap: Micro;
  readonly chatMarkup: Ratio;
  /** Of models whose price comes from the book, at least 1. */
  readonly bookMarkup: Ratio;
  readonly mediaFloor: Micro;
  readonly mediaCap: Micro;
  readonly mediaMarkup: Ratio;
}

/** A ratio such as `5/4`. */
export const ratioIn = (text: string): Ratio => {
  const [times = '1', over = '1'] = text.split('/');
  return { times: BigInt(times), over: BigInt(over) };
};

export const priceSettings = defineSettings({
  variables: PriceVariables,
  problems: ({ PRICE_BOOK_MARKUP: markup }: PriceVariables) => {
    const { times, over } = ratioIn(markup);
    return over === 0n || times < over
      ? ['PRICE_BOOK_MARKUP must be at least 1/1, because no model sells below its cost']
      : [];
  },
  read: (env: PriceVariables) => ({
    price: {
      chatFloor: micro(BigInt(env.PRICE_CHAT_FLOOR_MICRO)),
      chatCap: micro(BigInt(env.PRICE_CHAT_CAP_MICRO)),
      chatMarkup: ratioIn(env.PRICE_CHAT_MARKUP),
      bookMarkup: ratioIn(env.PRICE_BOOK_MARKUP),
      mediaFloor: micro(BigInt(env.PRICE_MEDIA_FLOOR_MICRO)),
      mediaCap: micro(BigInt(env.PRICE_MEDIA_CAP_MICRO)),
      mediaMarkup: ratioIn(env.PRICE_MEDIA_MARKUP),
    } satisfies PriceRules,
  }),
});

export type PriceSettings = SettingsOf<typeof priceSettings>;
