declare const brand: unique symbol;

/** A type that plain values can't be passed for by accident. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
