export { type Received, Webhook } from '../../../chaos/world/webhook';
