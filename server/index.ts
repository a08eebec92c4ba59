/**
 * The HTTP API and the dashboard, inside a process of yours.
 *
 * @packageDocumentation
 */

export type { AlertOptions, AlertWebhook, WebhookFormat } from '../alerts/webhooks';
export type { OidcOptions } from './access/oidc';
export { type ApiServer, serve } from './serve';
export type { ServeOptions } from './serve-options';
