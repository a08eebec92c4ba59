import { expect, onTestFinished, test, vi } from 'vitest';
import { freeLowPort } from '../../provision/ports';

test('services of one server are given different ports, though chance draws one of them again', async () => {
  const drawn = [0.25, 0.25, 0.75];
  const random = vi.spyOn(Math, 'random').mockImplementation(() => drawn.shift() ?? 0.5);
  onTestFinished(() => random.mockRestore());
  const first = await freeLowPort();
  expect(await freeLowPort()).not.toBe(first);
});
