package haiku;

import robocode.Robot;
import robocode.ScannedRobotEvent;

/** Fires, turns to the enemy, drives towards it and sweeps its gun on, one after the other. */
public class TestHaiku extends Robot {
  @Override public void run() {
    while (true) turnGunRight(Double.POSITIVE_INFINITY);
  }

  @Override public void onScannedRobot(ScannedRobotEvent enemy) {
    fire(2);
    turnRight(enemy.getBearing());
    ahead(Math.max(40, enemy.getDistance() / 4));
    turnGunRight(30);
  }
}
