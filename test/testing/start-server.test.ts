import { expect, it } from 'vitest';
import { startSkippingServer } from '../../testing/start-server';

it('a program that is no server is an error at once', async () => {
  await expect(startSkippingServer('/nowhere/temporal-test-server')).rejects.toThrow(/nowhere|No such file/);
});
