/** A day, a time and a time zone, because other forms are ambiguous. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** The time that a query names, or undefined if the text is no time. */
export const timeIn = (text: string): Date | undefined => {
  const time = new Date(text);
  return TIME.test(text) && !Number.isNaN(time.getTime()) ? time : undefined;
};
