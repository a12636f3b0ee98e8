export { type ChartNetwork, type ChartOptions, chartNetwork } from "./chart-network.ts";
export {
  type CurveChart,
  circleAngle,
  circleCharts,
  circleDistance,
  circlePoint,
  type EmbeddedCircle,
  embeddedCircle,
  type TrigonometricSum,
  trigonometricSize,
  trigonometricValue,
} from "./charts.ts";
