declare const brand: unique symbol;

/** A type that plain values can't have by accident. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
