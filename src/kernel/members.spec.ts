import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { Members } from './members';

const visited = <Member>(members: Members<Member>): Member[] => {
  const all: Member[] = [];
  members.forEach((member) => all.push(member));
  return all;
};

describe('members', () => {
  it('are visited in the order in which they came, until they leave', () => {
    const members = new Members<string>();
    const leave = ['a', 'b', 'c', 'd'].map((name) => members.add(name));
    expect(visited(members)).toEqual(['a', 'b', 'c', 'd']);

    leave[1]!();
    leave[3]!();
    leave[3]!(); // Leaving twice changes nothing.
    members.add('e');
    expect(visited(members)).toEqual(['a', 'c', 'e']);

    leave[0]!();
    leave[2]!();
    expect(visited(members)).toEqual(['e']);
  });

  it('may come and leave during a visit', () => {
    const members = new Members<string>();
    const leave = new Map(['a', 'b', 'c'].map((name) => [name, members.add(name)]));
    const seen: string[] = [];
    members.forEach((member) => {
      seen.push(member);
      leave.get('a')!();
      leave.get('b')!();
      members.add('later');
    });
    expect(seen).toEqual(['a', 'c']);
    expect(visited(members)).toEqual(['c', 'later', 'later']);
  });

  it('that have left are garbage for a minor collection, also if an early one is in old memory', () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
    const members = new Members<number[]>();
    const leaves: (() => void)[] = [];
    const comeAndGo = (count: number): void => {
      for (let at = 0; at < count; at += 1) {
        leaves.push(members.add(Array.from({ length: 1_000 }, () => at)));
        if (leaves.length > 16) leaves.shift()!();
      }
    };
    comeAndGo(1_000);
    gc(); // A full collection moves all of it to old memory.
    const before = process.memoryUsage().heapUsed;
    comeAndGo(2_000);
    for (let times = 0; times < 2; times += 1) gc({ type: 'minor' });
    // All that have left had 16 MB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4e6);
  });
});
