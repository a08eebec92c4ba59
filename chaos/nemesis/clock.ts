import { setTimeout } from 'node:timers/promises';
import { type Nemesis, triggersAmong } from './nemesis';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** The clock of one trigger is wrong, and may jump during the fault. */
export const clock: Nemesis = {
  name: 'clock',
  weight: 3,
  draw: (random, members) => ({
    targets: [random.pick(triggersAmong(members))],
    milliseconds: random.between(3_000, 15_000),
    detail: { off: random.pick([-HOUR, -4 * SECOND, 4 * SECOND, HOUR]), jumps: random.between(0, 3) },
  }),
  async run(world, { targets, milliseconds, detail }) {
    const member = world.member(targets[0]!);
    const jumps = Number(detail.jumps);
    for (let jump = 0; jump <= jumps; jump++) {
      member.setInside({ clockMilliseconds: Number(detail.off) * (jump % 2 === 0 ? 1 : -1) });
      await setTimeout(milliseconds / (jumps + 1));
    }
    member.setInside({});
    return undefined;
  },
};
