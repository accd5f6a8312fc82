import { FairSlots } from './fair-slots';

const fill = (room: FairSlots, owner: string): number => {
  let taken = 0;
  for (; !room.isFull && !room.fullOwners().includes(owner); taken += 1) room.enter(owner);
  return taken;
};

describe('room that owners share', () => {
  it('is never used up by those who have much of it', () => {
    const room = new FairSlots(64);
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((owner) => fill(room, owner))).toEqual([32, 16, 8, 4, 2, 1]);
    expect(fill(room, 'g')).toBe(1);
    expect(room.isFull).toBe(true);
  });

  it('is there again once somebody has left', () => {
    const room = new FairSlots(4);
    fill(room, 'a');
    expect(room.fullOwners()).toEqual(['a']);
    room.leave('a');
    room.leave('a');
    expect(room.fullOwners()).toEqual([]);
    expect(fill(room, 'b')).toBe(2);
  });
});
