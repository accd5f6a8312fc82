declare const brand: unique symbol;

/** A type that plain values don't match by accident. */
export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
