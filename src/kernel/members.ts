interface Place<Member> {
  readonly member: Member | undefined;
  previous: Place<Member> | undefined;
  next: Place<Member> | undefined;
}

/**
 * Members that come and go with calls, in the order in which they came. A `Set` or `Map` is not for them: V8 replaces its
 * table again and again, each old table points to the next one, and old memory keeps tables until a full collection. So
 * a `Set` of finished calls would keep all these calls in memory until then.
 */
export class Members<Member> {
  private readonly ends: Place<Member>;

  constructor() {
    const ends: Place<Member> = { member: undefined, previous: undefined, next: undefined };
    ends.previous = ends;
    ends.next = ends;
    this.ends = ends;
  }

  /** Adds a member, and returns the function that removes it. */
  add(member: Member): () => void {
    const last = this.ends.previous!;
    const place: Place<Member> = { member, previous: last, next: this.ends };
    last.next = place;
    this.ends.previous = place;
    return () => {
      if (place.next === undefined) return;
      place.previous!.next = place.next;
      place.next.previous = place.previous;
      // A removed place must not keep the members that came after it.
      place.previous = undefined;
      place.next = undefined;
    };
  }

  /** Calls `visit` for each member that was there at the beginning, unless it was removed meanwhile. */
  forEach(visit: (member: Member) => void): void {
    const places: Place<Member>[] = [];
    for (let place = this.ends.next!; place !== this.ends; place = place.next!) places.push(place);
    for (const place of places) if (place.next !== undefined) visit(place.member!);
  }
}
