package haiku;

import robocode.AdvancedRobot;
import robocode.ScannedRobotEvent;

/** Circles the enemy, swings to and fro while the gun cools, and sweeps its gun back over the enemy at each scan. */
public class HaikuPoet extends AdvancedRobot {
  @Override public void run() {
    setTurnGunRight(Double.POSITIVE_INFINITY);
  }

  @Override public void onScannedRobot(ScannedRobotEvent enemy) {
    setTurnRight(enemy.getBearing() + 80);
    setAhead(setFireBullet(2.1) == null ? 100 * Math.sin(getTime() / 12) : 0);
    setTurnGunLeft(getGunTurnRemaining());
  }
}
